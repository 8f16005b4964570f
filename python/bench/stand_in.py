"""Answers as seven providers do: with the last text of the request in capital letters, whole or as a stream."""

from __future__ import annotations

import binascii
import json
import struct
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StandIn(ThreadingHTTPServer):
    """Takes the provider's host as the first segment of a path: http://127.0.0.1:PORT/api.openai.com/v1/…"""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = f"answer to {_last_text(asked)}".upper()
        is_stream = asked.get("stream") is True or "stream" in self.path.rpartition("/")[2].lower()
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        kind, body = _reply(self.path, text, pieces if is_stream else None)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-request-id", "req_1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _last_text(asked: dict[str, Any]) -> str:
    last = (asked.get("messages") or asked.get("contents"))[-1]
    content = last.get("content", last.get("parts"))
    return str(content if isinstance(content, str) else content[-1]["text"])


def _reply(path: str, text: str, pieces: list[str] | None) -> tuple[str, bytes]:
    if "anthropic.com" in path:
        return _anthropic(text, pieces)
    if "googleapis" in path:
        return _gemini(text, pieces)
    if "cohere" in path:
        return _cohere(text, pieces)
    if "amazonaws" in path:
        return _bedrock(text, pieces)
    return _openai(text, pieces)


def _json(value: Any) -> tuple[str, bytes]:
    return "application/json", json.dumps(value, indent=1).encode()


def _events(events: list[tuple[str | None, Any]]) -> tuple[str, bytes]:
    lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events]
    return "text/event-stream", "".join(lines).encode()


def _openai(text: str, pieces: list[str] | None) -> tuple[str, bytes]:
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    head = {"id": "chatcmpl-1", "created": 1767322800, "model": "gpt-4o-mini"}
    if pieces is None:
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return _json({**head, "object": "chat.completion", "choices": choices, "usage": usage})

    def chunk(delta: Any, reason: str | None = None) -> tuple[None, Any]:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return None, {**head, "object": "chat.completion.chunk", "choices": choices}

    events = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces)]
    kind, body = _events([*events, chunk({}, "stop")])
    return kind, body + b"data: [DONE]\n\n"


def _anthropic(text: str, pieces: list[str] | None) -> tuple[str, bytes]:
    usage = {"input_tokens": 9, "output_tokens": 9}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
    if pieces is None:
        return _json({**head, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage})
    start = {"message": {**head, "content": [], "stop_reason": None, "usage": usage}}
    events = [
        ("message_start", start),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        *(("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}}) for piece in pieces),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 9}}),
        ("message_stop", {}),
    ]
    return _events([(name, {"type": name, **data}) for name, data in events])


def _gemini(text: str, pieces: list[str] | None) -> tuple[str, bytes]:
    def content(part: str) -> Any:
        candidate = {"content": {"role": "model", "parts": [{"text": part}]}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "modelVersion": "gemini-2.5-flash"}

    return _json(content(text)) if pieces is None else _events([(None, content(piece)) for piece in pieces])


def _cohere(text: str, pieces: list[str] | None) -> tuple[str, bytes]:
    tokens = {"billed_units": {"input_tokens": 9, "output_tokens": 9}}
    if pieces is None:
        message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        return _json({"id": "c1", "finish_reason": "COMPLETE", "message": message, "usage": tokens})
    start = {"id": "c1", "delta": {"message": {"role": "assistant", "content": []}}}
    block = {"index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}}
    deltas = [("content-delta", {"index": 0, "delta": {"message": {"content": {"text": piece}}}}) for piece in pieces]
    end = {"delta": {"finish_reason": "COMPLETE", "usage": tokens}}
    events = [
        ("message-start", start),
        ("content-start", block),
        *deltas,
        ("content-end", {"index": 0}),
        ("message-end", end),
    ]
    return _events([(name, {"type": name, **data}) for name, data in events])


def _bedrock(text: str, pieces: list[str] | None) -> tuple[str, bytes]:
    usage = {"inputTokens": 9, "outputTokens": 9, "totalTokens": 18}
    if pieces is None:
        output = {"message": {"role": "assistant", "content": [{"text": text}]}}
        return _json({"output": output, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}})
    deltas = [("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}}) for piece in pieces]
    events = [("messageStart", {"role": "assistant"}), *deltas, ("messageStop", {"stopReason": "end_turn"})]
    return "application/vnd.amazon.eventstream", b"".join(_frame(name, data) for name, data in events)


def _frame(name: str, data: Any) -> bytes:
    """A message of Amazon's event streams: lengths, their checksum, headers, payload, checksum."""
    fields = ((":event-type", name), (":content-type", "application/json"), (":message-type", "event"))
    headers = b"".join(
        struct.pack("!B", len(key)) + key.encode() + b"\x07" + struct.pack("!H", len(value)) + value.encode()
        for key, value in fields
    )
    payload = json.dumps(data).encode()
    lengths = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    head = lengths + struct.pack("!I", binascii.crc32(lengths))
    message = head + headers + payload
    return message + struct.pack("!I", binascii.crc32(message))
