"""Asks with OpenManus's own client, whose sources stand in the folder of the first argument; a token is a character."""
import asyncio
import copy
import json
import sys
import types

from stubs import bare, stub

stub("tenacity", "app.bedrock", "app.config", "app.logger", "tiktoken")
bare("app", sys.argv[1] + "/app")

from app import llm as module  # noqa: E402
from app.schema import Message  # noqa: E402

LLM, TokenCounter = module.LLM, module.TokenCounter
LOG = []


class Logger:
    def info(self, text):
        LOG.append(["info", text])

    def error(self, text):
        LOG.append(["error", text])

    exception = error


module.logger = Logger()
module.print = lambda *_, **__: None


class Characters:
    def encode(self, text):
        return list(text)


def as_object(value):
    return types.SimpleNamespace(**value)


class Completions:
    def __init__(self, steps):
        self.steps, self.sent = steps, []

    async def create(self, **params):
        self.sent.append(copy.deepcopy(params))
        step = self.steps[min(len(self.sent), len(self.steps)) - 1]
        if "chunks" in step:
            return self.stream(step["chunks"])
        choices = [as_object({"message": as_object({"tool_calls": None, **one})}) for one in step["choices"]]
        usage = as_object({"prompt_tokens": step.get("in", 11), "completion_tokens": step.get("out", 7)})
        return as_object({"choices": choices, "usage": usage})

    async def stream(self, pieces):
        for piece in pieces:
            yield as_object({"choices": [as_object({"delta": as_object({"content": piece})})]})


def made(message):
    return Message(**message["$message"]) if isinstance(message, dict) and "$message" in message else message


async def called(case):
    LOG.clear()
    client = object.__new__(LLM)
    settings = {"model": "gpt-4o", "max_tokens": 4096, "temperature": 1.0, "max_input_tokens": None, **case["settings"]}
    for name, value in settings.items():
        setattr(client, name, value)
    client.total_input_tokens, client.total_completion_tokens = case["totals_before"]
    client.tokenizer = Characters()
    client.token_counter = TokenCounter(client.tokenizer)
    completions = Completions(case["client"])
    client.client = as_object({"chat": as_object({"completions": completions})})
    args = copy.deepcopy(case["args"])
    try:
        result = await getattr(client, case["method"])(**args)
        if result is not None and not isinstance(result, str):
            result = {"content": result.content, "tool_calls": result.tool_calls}
    except Exception as error:
        result = {"error": str(error)}
    return {
        "result": result,
        "request": completions.sent[0] if completions.sent else None,
        "totals": [client.total_input_tokens, client.total_completion_tokens],
        "log": list(LOG),
    }


def formatted(case):
    messages = [made(message) for message in case["messages"]]
    try:
        return LLM.format_messages(messages, case["supports_images"])
    except Exception as error:
        return {"error": str(error)}


def counted(messages):
    return TokenCounter(Characters()).count_message_tokens(messages)


async def main():
    results = []
    for case in json.load(sys.stdin):
        what, given = case["what"], case["input"]
        results.append(await called(given) if what == "call" else {"format": formatted, "count": counted}[what](given))
    return results


json.dump(asyncio.run(main()), sys.stdout)
