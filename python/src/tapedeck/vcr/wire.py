"""Requests and responses as they are on the wire."""

from __future__ import annotations

from http import HTTPStatus

from .interactions import Response


def read_request(data: bytes | bytearray) -> tuple[str, str, list[tuple[str, str]], bytes] | None:
    """Returns method, target, headers, and body of a request as it is on the wire; None if it is not whole."""
    head, end, body = bytes(data).partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if not end or len(words) < 3:
        return None
    pairs = (line.partition(":") for line in lines)
    headers = [(name.strip(), value.strip()) for name, _, value in pairs if name.lower() != "x-tapedeck-test"]
    by_name = {name.lower(): value for name, value in headers}
    if "chunked" in by_name.get("transfer-encoding", "").lower():
        unchunked = _unchunked(body)
        return None if unchunked is None else (words[0], words[1], headers, unchunked)
    length = int(by_name.get("content-length") or 0)
    return None if len(body) < length else (words[0], words[1], headers, body[:length])


def _unchunked(body: bytes) -> bytes | None:
    pieces: list[bytes] = []
    rest = body
    while True:
        size, end, rest = rest.partition(b"\r\n")
        if not end:
            return None
        length = int(size.partition(b";")[0], 16)
        if length == 0:
            return b"".join(pieces)
        if len(rest) < length + 2:
            return None
        pieces.append(rest[:length])
        rest = rest[length + 2 :]


def to_wire(response: Response, is_head: bool = False) -> bytes:
    """Returns a response as it is on the wire, after which the connection ends."""
    code, body = response["status"]["code"], response["body"]["string"] or b""
    message = response["status"].get("message") or (HTTPStatus(code).phrase if code in set(HTTPStatus) else "")
    lines = [f"HTTP/1.1 {code} {message}"]
    for name, values in response["headers"].items():
        if name.lower() not in ("transfer-encoding", "connection", "content-length", "keep-alive"):
            lines += [f"{name}: {value}" for value in values]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace") + (b"" if is_head else body)
