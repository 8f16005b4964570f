"""What all clients have in common when the cassette in use answers them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from .cassette import Cassette
from .interactions import Response
from .request import Request


def wrap(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    original = vars(owner).get(name)
    if original is None or hasattr(original, "_tapedeck_cassettes"):
        return
    wrapped: Any = functools.wraps(original)(make(original))
    wrapped._tapedeck_cassettes = True
    setattr(owner, name, wrapped)


def is_served(request: Request) -> bool:
    """Whether a request goes to Tapedeck's server if the cassette does not answer it."""
    guard = sys.modules.get("tapedeck_guard")
    return guard is not None and bool(guard.redirects(request.host, request.port))


def answer(cassette: Cassette, request: Request) -> Response | None:
    return cassette.answer(request, is_served(request))


def takes(cassette: Cassette, request: Request) -> bool:
    return cassette.takes(request, is_served(request))


class PassedOn:
    """While a cassette records, the server passes the call on and does not record it as well."""

    def __enter__(self) -> None:
        running = sys.modules.get("tapedeck_running")
        self._variable = None if running is None else running.is_kept
        self._before = None if self._variable is None else self._variable.set(True)

    def __exit__(self, *_: Any) -> None:
        if self._variable is not None:
            self._variable.reset(self._before)


def make_response(code: int, message: str, headers: Any, body: bytes) -> Response:
    listed: dict[str, list[str]] = {}
    for name, value in headers:
        if name.lower() not in ("x-tapedeck-outcome", "x-tapedeck-entry"):
            listed.setdefault(name, []).append(value)
    return {"status": {"code": code, "message": message}, "headers": listed, "body": {"string": body}}
