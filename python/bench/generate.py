"""Makes a project whose tests use pytest-recording and the SDKs of seven providers, with a cassette for each test.

    python generate.py FOLDER [TESTS]     # 910 tests by default; needs the packages of requirements.txt

pytest-recording records the cassettes from a stand-in on this machine; then the providers' own addresses take its place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from stand_in import StandIn

PROVIDERS = {
    "openai": """
        import openai
        def client(): return openai.OpenAI(api_key="test", base_url=at("https://api.openai.com/v1"))
        def async_client(): return openai.AsyncOpenAI(api_key="test", base_url=at("https://api.openai.com/v1"))
        def ask(text): return client().chat.completions.create(model="gpt-4o-mini", messages=user(text)).choices[0].message.content
        def stream(text):
            chunks = client().chat.completions.create(model="gpt-4o-mini", messages=user(text), stream=True)
            return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        async def ask_async(text):
            async with async_client() as asking:
                return (await asking.chat.completions.create(model="gpt-4o-mini", messages=user(text))).choices[0].message.content
    """,
    "groq": """
        import groq
        def client(): return groq.Groq(api_key="test", base_url=at("https://api.groq.com"))
        def ask(text): return client().chat.completions.create(model="llama", messages=user(text)).choices[0].message.content
        def stream(text):
            chunks = client().chat.completions.create(model="llama", messages=user(text), stream=True)
            return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        async def ask_async(text):
            async with groq.AsyncGroq(api_key="test", base_url=at("https://api.groq.com")) as asking:
                return (await asking.chat.completions.create(model="llama", messages=user(text))).choices[0].message.content
    """,
    "anthropic": """
        import anthropic
        def client(): return anthropic.Anthropic(api_key="test", base_url=at("https://api.anthropic.com"))
        def ask(text): return client().messages.create(model="claude", max_tokens=99, messages=user(text)).content[0].text
        def stream(text):
            with client().messages.stream(model="claude", max_tokens=99, messages=user(text)) as pieces:
                return "".join(pieces.text_stream)
        async def ask_async(text):
            async with anthropic.AsyncAnthropic(api_key="test", base_url=at("https://api.anthropic.com")) as asking:
                return (await asking.messages.create(model="claude", max_tokens=99, messages=user(text))).content[0].text
    """,
    "genai": """
        from google import genai
        def client(): return genai.Client(api_key="test", http_options={"base_url": at("https://generativelanguage.googleapis.com")})
        def ask(text):
            asking = client()  # one that is not kept is closed at once
            return asking.models.generate_content(model="gemini-2.5-flash", contents=text).text
        def stream(text):
            asking = client()
            return "".join(chunk.text for chunk in asking.models.generate_content_stream(model="gemini-2.5-flash", contents=text))
        async def ask_async(text):
            asking = client()
            return (await asking.aio.models.generate_content(model="gemini-2.5-flash", contents=text)).text
    """,
    "mistral": """
        from mistralai.client import Mistral
        def client(): return Mistral(api_key="test", server_url=at("https://api.mistral.ai"))
        def ask(text): return client().chat.complete(model="mistral-small", messages=user(text)).choices[0].message.content
        def stream(text):
            events = client().chat.stream(model="mistral-small", messages=user(text))
            return "".join(event.data.choices[0].delta.content or "" for event in events)
        async def ask_async(text):
            return (await client().chat.complete_async(model="mistral-small", messages=user(text))).choices[0].message.content
    """,
    "cohere": """
        import cohere
        def client(): return cohere.ClientV2(api_key="test", base_url=at("https://api.cohere.com"))
        def ask(text): return client().chat(model="command-a", messages=user(text)).message.content[0].text
        def stream(text):
            events = client().chat_stream(model="command-a", messages=user(text))
            return "".join(event.delta.message.content.text for event in events if event.type == "content-delta")
        async def ask_async(text):
            asking = cohere.AsyncClientV2(api_key="test", base_url=at("https://api.cohere.com"))
            return (await asking.chat(model="command-a", messages=user(text))).message.content[0].text
    """,
    "bedrock": """
        import boto3
        def client():
            keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
            address = at("https://bedrock-runtime.us-east-1.amazonaws.com")
            return boto3.client("bedrock-runtime", endpoint_url=address, **keys)
        def asked(text): return {"modelId": "anthropic.claude", "messages": [{"role": "user", "content": [{"text": text}]}]}
        def ask(text): return client().converse(**asked(text))["output"]["message"]["content"][0]["text"]
        def stream(text):
            events = client().converse_stream(**asked(text))["stream"]
            return "".join(event["contentBlockDelta"]["delta"]["text"] for event in events if "contentBlockDelta" in event)
        async def ask_async(text): return ask(text)  # in threads, vcrpy loses interactions as it records
    """,
}

HEAD = '''
import asyncio, os
import pytest

pytestmark = pytest.mark.vcr


def at(address):
    """The stand-in while cassettes are recorded."""
    origin = os.environ.get("STAND_IN")
    return origin + "/" + address.partition("://")[2] if origin else address


def user(text):
    return [{"role": "user", "content": text}]

'''

TESTS = """

@pytest.mark.parametrize("number", range({plain}))
def test_ask(number):
    assert ask(f"question {{number}} of {name}") == f"ANSWER TO QUESTION {{number}} OF {name}".upper()


class TestStreams:
    @pytest.mark.parametrize("number", range({streams}))
    def test_stream(self, number):
        assert stream(f"stream {{number}} of {name}") == f"ANSWER TO STREAM {{number}} OF {name}".upper()


@pytest.mark.parametrize("number", range({turns}))
def test_turns(number):
    first = ask(f"turn {{number}} of {name}")
    assert ask(first) == ("ANSWER TO " + first).upper()
    assert ask(first) == ("ANSWER TO " + first).upper()


@pytest.mark.parametrize("number", range({gathers}))
def test_gather(number):
    async def all_of_them():
        return await asyncio.gather(*(ask_async(f"task {{number}}.{{part}} of {name}") for part in range(2)))

    said = asyncio.run(all_of_them())
    assert sorted(said) == [f"ANSWER TO TASK {{number}}.{{part}} OF {name}".upper() for part in range(2)]
"""

CONFTEST = """
import pytest


@pytest.fixture(scope="module")
def vcr_config():
    match_on = ["method", "scheme", "host", "port", "path", "query", "body"]
    return {"filter_headers": ["authorization", "x-api-key", "x-goog-api-key"], "match_on": match_on}
"""


def write_project(folder: Path, tests: int) -> None:
    (folder / "tests").mkdir(parents=True, exist_ok=True)
    (folder / "tests" / "conftest.py").write_text(CONFTEST)
    each = tests // len(PROVIDERS)
    streams, turns, gathers = each // 4, each // 8, each // 8
    sizes = {"plain": each - streams - turns - gathers, "streams": streams, "turns": turns, "gathers": gathers}
    for name, code in PROVIDERS.items():
        lines = [line[8:] for line in code.strip("\n").split("\n")]
        text = HEAD + "\n".join(lines) + TESTS.format(name=name, **sizes)
        (folder / "tests" / f"test_{name}.py").write_text(text)


def record(folder: Path) -> None:
    server = StandIn()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {**os.environ, "STAND_IN": server.url}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--record-mode=once", "tests"], cwd=folder, env=env)
    server.shutdown()
    if done.returncode != 0:
        sys.exit("The cassettes could not be recorded.")
    for cassette in folder.glob("tests/cassettes/*/*.yaml"):
        cassette.write_text(cassette.read_text().replace(server.url + "/", "https://"))


if __name__ == "__main__":
    target = Path(sys.argv[1])
    write_project(target, int(sys.argv[2]) if len(sys.argv) > 2 else 910)
    record(target)
