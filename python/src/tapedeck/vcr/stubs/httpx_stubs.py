"""How requests of httpx are read and responses are made. Tests may replace both functions, as in vcrpy."""

from __future__ import annotations

from typing import Any

from ..request import Request
from ..without_effect import find_name

_UNUSED = frozenset(
    """_async_vcr_send _from_serialized_headers _from_serialized_response _record_responses _run_async_function
    _serialize_response _shared_vcr_send _sync_vcr_send _to_serialized_response _transform_headers async_vcr_send
    sync_vcr_send""".split()
)


def _make_vcr_request(httpx_request: Any, **_: Any) -> Request:
    url, headers = str(httpx_request.url), httpx_request.headers.multi_items()
    return Request(httpx_request.method, url, httpx_request.read(), headers)


def _deserialize_response(vcr_response: Any, httpx_module: Any) -> Any:
    status = vcr_response["status"]
    message = status.get("message")
    return httpx_module.Response(
        status["code"],
        headers=[(name, value) for name, values in vcr_response["headers"].items() for value in values],
        stream=httpx_module.ByteStream(vcr_response["body"]["string"]),
        extensions={"reason_phrase": message.encode("ascii", "replace")} if message else None,
    )


def __getattr__(name: str) -> Any:
    """Gives the other functions of vcrpy to tests that wrap or replace them."""
    if name not in _UNUSED:
        raise AttributeError(name)
    return find_name("stubs.httpx_stubs", name)
