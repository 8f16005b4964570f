"""What the generated tests ask with: two SDKs, each in its synchronous and asynchronous form."""

import json
import pathlib

PLAN = json.loads((pathlib.Path(__file__).parent / "plan.json").read_text())
CALLS, SENTENCES = PLAN["calls"], PLAN["sentences"]
SYSTEM = " ".join(SENTENCES[:12])
NAMES = ["look_up", "search", "cancel"]


def schema(index):
    identifier = {"type": "string", "description": SENTENCES[index + 9]}
    return {"type": "object", "properties": {"id": identifier, "limit": {"type": "integer"}}, "required": ["id"]}


CHAT_TOOLS = [
    {"type": "function", "function": {"name": name, "description": SENTENCES[index], "parameters": schema(index)}}
    for index, name in enumerate(NAMES)
]
CLAUDE_TOOLS = [
    {"name": name, "description": SENTENCES[index], "input_schema": schema(index)} for index, name in enumerate(NAMES)
]


def to_chat(call, **more):
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": call["text"]}]
    tools = {"tools": CHAT_TOOLS} if call["hasTools"] else {}
    return {"model": "gpt-4o-mini", "messages": messages, **tools, **more}


def to_claude(call):
    messages = [{"role": "user", "content": call["text"]}]
    tools = {"tools": CLAUDE_TOOLS} if call["hasTools"] else {}
    return {"model": "claude-sonnet-4-5", "max_tokens": 512, "system": SYSTEM, "messages": messages, **tools}


def to_responses(call):
    return {"model": "gpt-4o-mini", "instructions": SYSTEM, "input": call["text"]}


def ask(clients, kind, identifier):
    openai, anthropic = clients
    call = CALLS[str(identifier)]
    if kind == "chat":
        return openai.chat.completions.create(**to_chat(call)).choices[0].message.content
    if kind == "chatStream":
        stream = openai.chat.completions.create(**to_chat(call, stream=True))
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    if kind == "responses":
        return openai.responses.create(**to_responses(call)).output_text
    if kind == "claude":
        return anthropic.messages.create(**to_claude(call)).content[0].text
    with anthropic.messages.stream(**to_claude(call)) as stream:
        return stream.get_final_text()


async def ask_async(clients, kind, identifier):
    openai, anthropic = clients
    call = CALLS[str(identifier)]
    if kind == "chat":
        return (await openai.chat.completions.create(**to_chat(call))).choices[0].message.content
    if kind == "chatStream":
        stream = await openai.chat.completions.create(**to_chat(call, stream=True))
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    if kind == "responses":
        return (await openai.responses.create(**to_responses(call))).output_text
    if kind == "claude":
        return (await anthropic.messages.create(**to_claude(call))).content[0].text
    async with anthropic.messages.stream(**to_claude(call)) as stream:
        return await stream.get_final_text()
