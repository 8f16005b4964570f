"""The requests and responses of a cassette, in all forms in which vcrpy and its serializers write them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from .request import Request

#: `{"status": {"code", "message"}, "headers": {name: [values]}, "body": {"string": bytes}}`
Response: TypeAlias = dict[str, Any]
Interaction: TypeAlias = tuple[Request, Response]

#: Headers that hold credentials. They are never written.
CREDENTIALS = frozenset(
    """authorization proxy-authorization x-api-key api-key x-goog-api-key x-amz-security-token openai-organization
    cookie set-cookie""".split()
)


def read_interactions(content: Any) -> list[Interaction]:
    """Reads a parsed cassette. Raises ValueError if it is none."""
    if content is None:
        return []
    if isinstance(content, list):
        pairs = [(one["request"], one["response"]) for one in content]
    elif "interactions" in content:
        pairs = [(one["request"], one["response"]) for one in content["interactions"] or []]
    elif "requests" in content and "responses" in content:  # as the serializer of langchain-tests writes it
        pairs = list(zip(content["requests"] or [], content["responses"] or []))
    else:
        raise ValueError('It has no "interactions".')
    return [(_read_request(request), _read_response(response)) for request, response in pairs]


def _read_request(request: Any) -> Request:
    if isinstance(request, Request):
        return request
    uri = request.get("uri", request.get("url"))
    if not isinstance(uri, str):
        raise ValueError('A request has no "uri".')
    return Request(request.get("method") or "GET", uri, _read_body(request), _read_headers(request.get("headers")))


def _read_response(response: Mapping[str, Any]) -> Response:
    status = response.get("status", response.get("status_code"))
    message = None
    if isinstance(status, Mapping):
        message = status.get("message")
        status = status.get("code")
    if status is None:
        raise ValueError("A response has no status.")
    headers = _read_headers(response.get("headers"))
    body = _read_body(response) or b""
    return {
        **{name: value for name, value in response.items() if name not in ("content", "status_code", "parsed_body")},
        "status": {"code": int(status), "message": message},
        "headers": _without_false_encoding(headers, body),
        "body": {"string": body},
    }


def _read_headers(headers: Any) -> dict[str, list[str]]:
    read: dict[str, list[str]] = {}
    for name, values in (headers or {}).items():
        listed = values if isinstance(values, (list, tuple)) else [values]
        read[name] = [value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in listed]
    return read


def _read_body(message: Mapping[str, Any]) -> bytes | None:
    if "parsed_body" in message:  # JSON, as the serializer of pydantic-ai writes it
        return json.dumps(message["parsed_body"]).encode()
    body = message.get("body", message.get("content"))
    if isinstance(body, Mapping):
        if "base64_string" in body:
            return base64.b64decode(body["base64_string"])
        if "string" not in body:
            return json.dumps(body).encode()
        is_base64 = str(body.get("encoding", "")).lower() == "base64"
        body = base64.b64decode(body["string"]) if is_base64 else body["string"]
    elif message.get("base64encoded") and isinstance(body, str):
        body = base64.b64decode(body)
    if body is None or isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode("utf-8", "surrogateescape")


def _without_false_encoding(headers: dict[str, list[str]], body: bytes) -> dict[str, list[str]]:
    """Some recorders keep the header of a body that they unpacked. A client would fail on it."""
    name = next((name for name in headers if name.lower() == "content-encoding"), None)
    if name is None or not _is_unpacked(headers[name][0].lower() if headers[name] else "", body):
        return headers
    return {other: values for other, values in headers.items() if other != name}


def _is_unpacked(encoding: str, body: bytes) -> bool:
    if encoding in ("gzip", "x-gzip"):
        return not body.startswith(b"\x1f\x8b")
    if encoding == "zstd":
        return not body.startswith(b"\x28\xb5\x2f\xfd")
    return encoding in ("br", "deflate") and body[:1] in (b"{", b"[", b"e", b"d")


def write_interactions(interactions: list[Interaction]) -> dict[str, Any]:
    """Returns what a serializer writes: the layout of vcrpy, version 1, without credentials."""
    return {
        "interactions": [
            {"request": _written_request(request), "response": _written_response(response)}
            for request, response in interactions
        ],
        "version": 1,
    }


def _written_request(request: Request) -> dict[str, Any]:
    headers = {name: [value] for name, value in request.headers.items() if name.lower() not in CREDENTIALS}
    return {"body": _written_body(request.body), "headers": headers, "method": request.method, "uri": request.uri}


def _written_response(response: Response) -> dict[str, Any]:
    headers = {name: values for name, values in response["headers"].items() if name.lower() not in CREDENTIALS}
    body = dict(response.get("body") or {})
    return {**response, "headers": headers, "body": {**body, "string": _written_body(body.get("string"))}}


def _written_body(body: Any) -> Any:
    try:
        return body.decode() if isinstance(body, (bytes, bytearray)) else body
    except UnicodeDecodeError:
        return bytes(body)
