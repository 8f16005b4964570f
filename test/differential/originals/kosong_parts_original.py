"""Streams, messages, schemas and arguments of tools, as the real kosong has them."""
import asyncio
import json
import sys

from kosong import generate
from kosong.chat_provider.mock import MockChatProvider
from kosong.message import (
    AudioURLPart,
    ImageURLPart,
    Message,
    TextPart,
    ThinkPart,
    ToolCall,
    ToolCallPart,
    VideoURLPart,
)
from kosong.tooling import CallableTool, ToolOk
from kosong.utils.jsonschema import deref_json_schema, ensure_property_types


def part_of(given):
    kind, value = given["t"], given.get("v")
    if kind == "text":
        return TextPart(text=value)
    if kind == "think":
        return ThinkPart(think=value, encrypted=given.get("enc"))
    if kind == "call":
        body = ToolCall.FunctionBody(name=given["name"], arguments=given.get("args"))
        return ToolCall(id=given["id"], function=body, extras=given.get("extras"))
    if kind == "part":
        return ToolCallPart(arguments_part=value)
    media = {"image": (ImageURLPart, "image_url"), "audio": (AudioURLPart, "audio_url"), "video": (VideoURLPart, "video_url")}
    made, field = media[kind]
    return made(**{field: {"url": value, "id": given.get("id")}})


async def generated(parts):
    order = []
    result = await generate(
        MockChatProvider([part_of(part) for part in parts]),
        "",
        [],
        [],
        on_message_part=lambda part: order.append(["part", part.model_dump()]),
        on_tool_call=lambda call: order.append(["call", call.model_dump()]),
    )
    return {"message": result.message.model_dump(), "bare": result.message.model_dump(exclude_none=True), "order": order}


async def dumped(case):
    content = [part_of(part) for part in case["content"]]
    calls = case["tool_calls"] and [part_of(part) for part in case["tool_calls"]]
    message = Message(role=case["role"], name=case["name"], content=content, tool_calls=calls)
    return {"whole": message.model_dump(), "bare": message.model_dump(exclude_none=True), "text": message.extract_text("|")}


async def dereferenced(schema):
    return deref_json_schema(schema)


async def typed(schema):
    return ensure_property_types(schema)


class Tool(CallableTool):
    async def __call__(self, *args, **kwargs):
        return ToolOk(output="fits")


async def fitted(case):
    tool = Tool(name="f", description="", parameters=case["schema"])
    result = await tool.call(case["value"])
    return "does not fit" if result.is_error else "fits"


RUN = {"generate": generated, "dump": dumped, "dereference": dereferenced, "type": typed, "fit": fitted}


async def run(case):
    try:
        return await RUN[case["what"]](case["input"])
    except Exception as error:
        return {"error": str(error)}


async def main():
    return [await run(case) for case in json.load(sys.stdin)]


json.dump(asyncio.run(main()), sys.stdout)
