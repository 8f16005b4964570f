"""Changes requests and responses before they are compared and written, as `filter_…` options ask."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote_plus, urlencode

from .request import Request

#: By name: None removes the value, a text replaces it, a function returns the one or the other.
Replacements = Mapping[str, Any]
RequestFilter = Callable[[Request], Request | None]
LOCAL_HOSTS = ("localhost", "0.0.0.0", "127.0.0.1", "::1")


def replacements_of(given: Iterable[str | tuple[str, Any]]) -> dict[str, Any]:
    return dict(one if isinstance(one, tuple) else (one, None) for one in given)


def _replace(replacement: Any, name: str, value: Any, request: Request) -> Any:
    return replacement(key=name, value=value, request=request) if callable(replacement) else replacement


def replace_headers(request: Request, replacements: Any) -> Request:
    headers = request.headers.copy()
    for name, replacement in dict(replacements).items():
        if name in headers:
            value = _replace(replacement, name, headers.pop(name), request)
            if value is not None:
                headers[name] = value
    request.headers = headers
    return request


def replace_query_parameters(request: Request, replacements: Any) -> Request:
    given = dict(replacements)
    kept = [
        (name, _replace(given[name], name, value, request) if name in given else value) for name, value in request.query
    ]
    query = urlencode([(name, value) for name, value in kept if value is not None])
    request.uri = request.parsed_uri._replace(query=query).geturl()
    return request


def replace_body_parameters(request: Request, replacements: Any, recursive: bool = False) -> Request:
    """Replaces fields of JSON and of forms. Other bodies stay as they are."""
    body, given = request.body, dict(replacements)
    if not body or request.method not in ("POST", "PUT", "PATCH"):
        return request
    kind = str(request.headers.get("content-type", "")).lower()
    try:
        if "application/json" in kind:
            parsed = json.loads(body)
            if isinstance(parsed, dict) or recursive:
                request.body = json.dumps(_replace_fields(parsed, given, request, recursive))
        elif not kind or "form-urlencoded" in kind:
            pairs = [piece.partition("=") for piece in body.decode().split("&")]
            kept = []
            for raw, sign, value in pairs:
                name = raw if raw in given else unquote_plus(raw)
                new = _replace(given[name], name, value, request) if sign and name in given else value
                if new is not None:
                    kept.append(raw + sign + new)
            request.body = "&".join(kept)
    except ValueError:
        pass  # its headers name another format than it has
    return request


def _replace_fields(value: Any, given: Replacements, request: Request, recursive: bool) -> Any:
    if isinstance(value, list):
        return [_replace_fields(item, given, request, recursive) for item in value] if recursive else value
    if not isinstance(value, dict):
        return value
    fields = {}
    for name, field in value.items():
        if name in given:
            field = _replace(given[name], name, field, request)
            if field is None:
                continue
        elif recursive:
            field = _replace_fields(field, given, request, recursive)
        fields[name] = field
    return fields


def sensitive_data_hooks(given: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns functions that put placeholders in the place of values in an interaction, and the values back.

    `given`: the value of each placeholder, or a function of request and response that returns it; None replaces nothing.
    """
    pairs = list(given.items() if isinstance(given, Mapping) else given)

    def replace(request: Request, response: Any, restores: bool) -> tuple[Request, Any]:
        for placeholder, value in pairs:
            value = value(request, response) if callable(value) else value
            if value is None or not str(value) or not str(placeholder):
                continue
            old, new = (str(placeholder), str(value)) if restores else (str(value), str(placeholder))
            request = Request._from_dict(_replace_text(request._to_dict(), old, new))
            response = _replace_text(response, old, new)
        return request, response

    return (lambda request, response: replace(request, response, False)), (
        lambda request, response: replace(request, response, True)
    )


def _replace_text(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).replace(old.encode(), new.encode())
    if isinstance(value, Mapping):
        return {_replace_text(name, old, new): _replace_text(item, old, new) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_replace_text(item, old, new) for item in value)
    return value


def remove_headers(request: Request, names: Iterable[str]) -> Request:
    return replace_headers(request, replacements_of(names))


def remove_query_parameters(request: Request, names: Iterable[str]) -> Request:
    return replace_query_parameters(request, replacements_of(names))


def ignore_hosts(hosts: Iterable[Any]) -> RequestFilter:
    """Returns a filter that gives None for requests to these hosts: texts, or compiled patterns of whole names."""
    patterns = [host for host in hosts if isinstance(host, re.Pattern)]
    names = {host for host in hosts if not isinstance(host, re.Pattern)}

    def keep(request: Request) -> Request | None:
        host = request.host or ""
        return None if host in names or any(pattern.fullmatch(host) for pattern in patterns) else request

    return keep


def decode_response(response: dict[str, Any]) -> dict[str, Any]:
    """Unpacks a body that is compressed by gzip or deflate, and drops the header that says so."""
    headers = response.get("headers") or {}
    name = next((name for name in headers if name.lower() == "content-encoding"), None)
    encoding = "" if name is None else str(headers[name][0] if isinstance(headers[name], list) else headers[name])
    body = (response.get("body") or {}).get("string") or b""
    if name is None or encoding.lower() not in ("gzip", "x-gzip", "deflate"):
        return response
    try:
        body = zlib.decompress(body, zlib.MAX_WBITS | 32)
    except zlib.error:
        pass  # it was unpacked when it was recorded
    headers = {other: value for other, value in headers.items() if other != name}
    length = next((other for other in headers if other.lower() == "content-length"), None)
    if length is not None:
        headers[length] = [str(len(body))]
    return {**response, "headers": headers, "body": {"string": body}}
