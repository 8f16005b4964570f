"""Decides whether a request is a recorded one, by the parts that `match_on` names."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs

from .request import Request

Matcher = Callable[[Request, Request], Any]


def _uri(request: Request) -> str:
    return request.uri if request.path else request.parsed_uri._replace(path="/").geturl()


def _parsed_body(request: Request) -> Any:
    """JSON and forms by their content, so that the order of members and of fields does not matter."""
    body, kind = request.body, str(request.headers.get("content-type", "")).lower()
    try:
        if body and "application/json" in kind:
            return json.loads(body)
        if body and "application/x-www-form-urlencoded" in kind:
            return parse_qs(body.decode("ascii"))
    except ValueError:
        pass
    return body or None


PARTS: dict[str, Callable[[Request], Any]] = {
    "method": lambda request: request.method.upper(),  # aiohttp takes "post" as well
    "uri": _uri,
    "url": _uri,
    "scheme": lambda request: request.scheme,
    "host": lambda request: request.host,
    "port": lambda request: request.port,
    "path": lambda request: request.path or "/",
    "query": lambda request: request.query,
    "headers": lambda request: {name.lower(): value for name, value in request.headers.items()},
    "raw_body": lambda request: request.body or None,
    "body": _parsed_body,
}
"""The parts that vcrpy compares by name, and how each is read from a request."""


def _matcher_of(name: str) -> Matcher:
    def match(one: Request, other: Request) -> None:
        first, second = PARTS[name](one), PARTS[name](other)
        assert first == second, f"{first} != {second}"

    match.__name__ = name
    return match


MATCHERS: dict[str, Matcher] = {name: _matcher_of(name) for name in PARTS}
method, uri, scheme, host, port, path, query, headers, raw_body, body = (
    MATCHERS[name]
    for name in ("method", "uri", "scheme", "host", "port", "path", "query", "headers", "raw_body", "body")
)


def differing(request: Request, recorded: Request, matchers: Sequence[Matcher]) -> list[str]:
    """Returns the names of the matchers under which two requests differ; [] if they match."""
    return [matcher.__name__ for matcher in matchers if not _agrees(matcher, request, recorded)]


def requests_match(request: Request, recorded: Request, matchers: Sequence[Matcher]) -> bool:
    return all(_agrees(matcher, request, recorded) for matcher in matchers)


def _agrees(matcher: Matcher, request: Request, recorded: Request) -> bool:
    """A matcher returns whether two requests match, or returns None and raises AssertionError if they do not."""
    if MATCHERS.get(matcher.__name__) is matcher:
        part = PARTS[matcher.__name__]
        return bool(part(request) == part(recorded))
    try:
        agrees = matcher(request, recorded)
    except AssertionError:
        return False
    return agrees is None or bool(agrees)


def explain_differences(request: Request, recorded: Request, matchers: Sequence[Matcher]) -> list[tuple[str, str]]:
    """Returns the names of the matchers under which two requests differ, each with its reason."""
    found = []
    for matcher in matchers:
        if not _agrees(matcher, request, recorded):
            try:
                matcher(request, recorded)
                found.append((matcher.__name__, ""))
            except AssertionError as error:
                found.append((matcher.__name__, str(error)))
    return found
