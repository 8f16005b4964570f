"""The clients of the tests. SUITE=hand answers them in this process, with what the stand-in would answer."""

import json
import os
import pathlib

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI

SUITE = os.environ.get("SUITE")


def options(client):
    if SUITE != "hand":
        return {}
    answers = json.loads((pathlib.Path(__file__).parent / "answers.json").read_text())

    def answer(request):
        body = request.read().decode()
        identifier = body[body.rindex("[#") + 2 :].split("]")[0]
        is_stream = '"stream":true' in body.replace(" ", "")
        kind, text = answers[f"{request.url.path} {identifier} {str(is_stream).lower()}"]
        return httpx2.Response(200, headers={"content-type": kind}, content=text.encode())

    return {"http_client": client(transport=httpx2.MockTransport(answer))}


@pytest.fixture(scope="module")
def clients():
    with OpenAI(**options(httpx2.Client)) as openai, Anthropic(**options(httpx2.Client)) as anthropic:
        yield openai, anthropic


@pytest.fixture
async def async_clients():
    async with AsyncOpenAI(**options(httpx2.AsyncClient)) as openai:
        async with AsyncAnthropic(**options(httpx2.AsyncClient)) as anthropic:
            yield openai, anthropic


@pytest.fixture(scope="module")
def vcr_config():
    if SUITE == "cassetter":
        return {"match_on": ["method", "uri"]}
    secret = ["authorization", "x-api-key"]
    return {"filter_headers": secret, "match_on": ["method", "scheme", "host", "port", "path", "query"]}
