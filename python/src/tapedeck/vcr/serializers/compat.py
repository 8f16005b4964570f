"""Bodies as bytes and as text, for serializers of a project's own."""

from __future__ import annotations

from typing import Any


def convert_to_bytes(response: Any) -> Any:
    """Encodes the body of a response in place."""
    body = response.get("body") if isinstance(response, dict) else None
    if isinstance(body, dict) and isinstance(body.get("string"), str):
        body["string"] = body["string"].encode("utf-8", "surrogateescape")
    return response


def convert_to_unicode(message: Any) -> Any:
    """Decodes the body of a request or a response in place, unless it is binary."""
    if isinstance(message, dict) and "body" in message:
        body = message["body"]
        if isinstance(body, dict) and "string" in body:
            body["string"] = _decoded(body["string"])
        else:
            message["body"] = _decoded(body)
        return message
    return _decoded(message)


def _decoded(value: Any) -> Any:
    try:
        return value.decode() if isinstance(value, (bytes, bytearray)) else value
    except UnicodeDecodeError:
        return value
