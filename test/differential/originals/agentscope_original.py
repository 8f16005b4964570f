"""Calls the real AgentScope models over scripted SDKs, in the form of the golden rows."""
import asyncio
import base64
import copy
import json
import logging
import re
import sys
import types
import warnings
from typing import Literal

from pydantic import BaseModel, Field


class Object(dict):
    """What an SDK answers: read by attribute or as a map."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def revived(value):
    if isinstance(value, list):
        return [revived(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$dict" in value:
        return value["$dict"]
    if "$bytes_b64" in value:
        return base64.b64decode(value["$bytes_b64"])
    return Object((name, revived(member)) for name, member in value.items())


class Anything:
    """An SDK that is not needed: its client is replaced."""

    def __init__(self, *_, **__):
        pass


for name, client in (("ollama", "AsyncClient"), ("google.genai", "Client")):
    module = types.ModuleType(name)
    setattr(module, client, Anything)
    sys.modules[name] = module
import google  # noqa: E402

google.genai = sys.modules["google.genai"]

import dashscope  # noqa: E402
from agentscope.model import (  # noqa: E402
    AnthropicChatModel,
    DashScopeChatModel,
    GeminiChatModel,
    OllamaChatModel,
    OpenAIChatModel,
)


class Person(BaseModel):
    """A person"""

    name: str = Field(description="full name")
    age: int
    tags: list[str] | None = None


class Inner(BaseModel):
    x: int


class Nested(BaseModel):
    inner: Inner
    kind: Literal["a", "b"] = "a"


MODELS = {"Person": Person, "Nested": Nested}
CLASSES = {
    "openai": OpenAIChatModel,
    "anthropic": AnthropicChatModel,
    "dashscope": DashScopeChatModel,
    "gemini": GeminiChatModel,
    "ollama": OllamaChatModel,
}
LOG = []


class Listening(logging.Handler):
    def emit(self, record):
        level = {"WARNING": "warning", "INFO": "info", "ERROR": "error"}.get(record.levelname, record.levelname)
        LOG.append([level, record.getMessage()])


from agentscope import logger  # noqa: E402

logger.handlers = [Listening()]
logger.propagate = False


class Stream:
    def __init__(self, chunks):
        self.chunks = chunks

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return None

    async def __aiter__(self):
        for chunk in self.chunks:
            yield revived(chunk)


class Script:
    def __init__(self, steps):
        self.steps = iter(steps)
        self.sent = []

    def method(self, api):
        async def call(**args):
            self.sent.append({"api": api, **shown_request(args)})
            step = next(self.steps)
            return Stream(step["chunks"]) if "chunks" in step else revived(step["response"])

        return call


def shown_request(args):
    args = copy.deepcopy(args)
    if isinstance(args.get("config"), dict):
        schema = args["config"].get("response_schema")
        if isinstance(schema, type):
            args["config"]["response_schema"] = "$class " + schema.__name__
    return args


def install(model, script):
    space = types.SimpleNamespace
    provider = type(model).__name__
    if provider == "OpenAIChatModel":
        model.client = space(chat=space(completions=space(create=script.method("create"))))
    elif provider == "AnthropicChatModel":
        model.client = space(messages=space(create=script.method("messages.create")))
    elif provider == "GeminiChatModel":
        methods = space(
            generate_content=script.method("generate_content"),
            generate_content_stream=script.method("generate_content_stream"),
        )
        model.client = space(aio=space(models=methods))
    elif provider == "OllamaChatModel":
        model.client = space(chat=script.method("chat"))
    else:
        dashscope.AioMultiModalConversation = space(call=script.method("multimodal"))
        dashscope.aigc.generation.AioGeneration = space(call=script.method("generation"))


def shown(response):
    """As it is when it is handed out; what the original changes in it later is another matter."""
    value = dict(response)
    usage = value.pop("usage")
    value = copy.deepcopy(value)
    if usage is not None:
        usage = {**usage, "time": "$seconds", "metadata": usage["metadata"] and "$raw usage object"}
    value["usage"] = usage
    if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}_[0-9a-f]{6}", value["id"]):
        value["id"] = "$generated"
    value["created_at"] = "$now"
    return value


async def called(case):
    LOG.clear()
    script, result, model = Script(case["script"]), {}, None
    call = dict(case["call"])
    structured = call.pop("structured_model", None)
    responses = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            key = {} if case["provider"] == "ollama" else {"api_key": "k"}
            model = CLASSES[case["provider"]](model_name="m", **key, **case["init"])
            install(model, script)
            messages = call.pop("messages", [{"role": "user", "content": "hi"}])
            answer = await model(messages, structured_model=MODELS.get(structured), **call)
            result["streaming"] = not isinstance(answer, dict)
            result["responses"] = responses
            if result["streaming"]:
                async for response in answer:
                    responses.append(shown(response))
            else:
                responses.append(shown(answer))
        except Exception as error:
            result["error"] = {"type": type(error).__name__, "message": str(error)}
    if case["provider"] == "openai" and model is not None:
        result["fallback_latched"] = model._structured_output_fallback
    result["requests"] = script.sent
    result["warnings"] = [
        "DeprecationWarning: %s" % one.message
        for one in caught
        if issubclass(one.category, DeprecationWarning) and ("deprecated" in str(one.message) or "converted" in str(one.message))
    ]
    result["log"] = list(LOG)
    return result


async def main():
    return [await called(case) for case in json.load(sys.stdin)]


json.dump(asyncio.run(main()), sys.stdout)
