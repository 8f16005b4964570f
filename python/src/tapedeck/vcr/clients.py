"""Answers the requests of HTTP clients from the cassette in use, below what tests and SDKs see of a client."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Callable
from typing import Any

from ..server import has_hooks
from .answering import PassedOn, answer, make_response, takes, wrap
from .cassette import Cassette, current
from .interactions import Response
from .request import Request
from .stubs import httpx_stubs
from .wire import read_request, to_wire


def watch_clients() -> None:
    """Changes the clients that are loaded, and those that the tests load later. Does so once.

    Without Tapedeck's hooks, which see what is loaded later, all that are installed are loaded now.
    """
    hooks = sys.modules["tapedeck_hooks"] if has_hooks() else None
    sys.modules.setdefault("tapedeck_cassettes", sys.modules[__name__])
    for name, hook in _CLIENTS.items():
        if hooks is None:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        if name in sys.modules:
            hook(sys.modules[name])
        elif hooks is not None:
            entry = f"cassettes.{hook.__name__}"
            if entry not in hooks.HOOKS.get(name, ""):
                hooks.HOOKS[name] = f"{hooks.HOOKS.get(name, '')} {entry}".strip()


# ---- httpx ----


def hook_httpx(module: Any) -> None:
    def sync(original: Any) -> Any:
        def handle_request(self: Any, request: Any) -> Any:
            cassette = current()
            if cassette is None:
                return original(self, request)
            request.read()
            made = httpx_stubs._make_vcr_request(request)
            response = answer(cassette, made)
            if response is not None:
                return httpx_stubs._deserialize_response(response, module)
            if not takes(cassette, made):
                return original(self, request)
            with PassedOn():
                reply = original(self, request)
                content = b"".join(reply.stream)
            reply.close()
            return _recorded_httpx(module, cassette, made, reply, content)

        return handle_request

    def coroutine(original: Any) -> Any:
        async def handle_async_request(self: Any, request: Any) -> Any:
            cassette = current()
            if cassette is None:
                return await original(self, request)
            await request.aread()
            made = httpx_stubs._make_vcr_request(request)
            response = answer(cassette, made)
            if response is not None:
                return httpx_stubs._deserialize_response(response, module)
            if not takes(cassette, made):
                return await original(self, request)
            with PassedOn():
                reply = await original(self, request)
                content = b"".join([piece async for piece in reply.stream])
            await reply.aclose()
            return _recorded_httpx(module, cassette, made, reply, content)

        return handle_async_request

    wrap(module.HTTPTransport, "handle_request", sync)
    wrap(module.AsyncHTTPTransport, "handle_async_request", coroutine)


def _recorded_httpx(module: Any, cassette: Cassette, made: Request, reply: Any, content: bytes) -> Any:
    response = make_response(reply.status_code, reply.reason_phrase, reply.headers.multi_items(), content)
    cassette.append(made, response)
    return httpx_stubs._deserialize_response(response, module)


# ---- http.client, and urllib3 on top of it: what is written to the socket is read as a request ----


def hook_http_client(module: Any) -> None:
    for name in ("HTTPConnection", "HTTPSConnection"):
        if hasattr(module, name):
            wrap(getattr(module, name), "connect", _connect)


def _connect(original: Any) -> Any:
    def connect(self: Any) -> Any:
        cassette = current()
        if cassette is None or getattr(self, "_is_real", False):
            return original(self)
        self.sock = _Socket(self, original, cassette)
        if hasattr(self, "is_verified"):
            self.is_verified = True  # urllib3 warns of connections whose certificate nobody looked at
        return None

    return connect


class _Socket:
    """Takes a request in the place of a socket, and gives the recorded response, or connects and sends it."""

    def __init__(self, connection: Any, connect: Any, cassette: Cassette) -> None:
        self._connection, self._connect, self._cassette = connection, connect, cassette
        self._sent = bytearray()
        self._real: Any = None
        self._timeout: Any = None

    @property
    def opens_later(self) -> bool:
        return self._real is None

    def sendall(self, data: Any, *_: Any) -> None:
        if self._real is not None:
            self._real.sendall(data)
        else:
            self._sent += data

    def send(self, data: Any, *_: Any) -> int:
        self.sendall(data)
        return len(data)

    def settimeout(self, timeout: Any) -> None:
        self._timeout = timeout
        if self._real is not None:
            self._real.settimeout(timeout)

    def gettimeout(self) -> Any:
        return self._timeout

    def setsockopt(self, *_: Any) -> None:
        pass

    def shutdown(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        if self._real is not None:
            self._real.close()

    def __getattr__(self, name: str) -> Any:
        real = self.__dict__.get("_real")
        if real is None:
            raise AttributeError(name)
        return getattr(real, name)

    def makefile(self, *args: Any, **named: Any) -> Any:
        """Called when the client reads the response."""
        found = read_request(self._sent)
        if found is None or self._real is not None:
            return (self._real or self._send()).makefile(*args, **named)
        method, target, headers, body = found
        request = Request(method, self._address(target), body or None, headers)
        response = answer(self._cassette, request)
        if response is None and takes(self._cassette, request):
            response = self._record(request, method)
        if response is None:
            return self._send().makefile(*args, **named)
        return io.BytesIO(to_wire(response, is_head=method == "HEAD"))

    def _address(self, target: str) -> str:
        connection = self._connection
        if "://" in target:
            return target
        tunnel = getattr(connection, "_tunnel_host", None)
        host, port = (tunnel, connection._tunnel_port) if tunnel else (connection.host, connection.port)
        is_tls = bool(tunnel) or connection.default_port == 443
        shown = f"[{host}]" if ":" in host else host
        port = "" if port in (None, 443 if is_tls else 80) else f":{port}"
        return f"{'https' if is_tls else 'http'}://{shown}{port}{target}"

    def _send(self) -> Any:
        connection = self._connection
        connection._is_real, connection.sock = True, None
        try:
            self._connect(connection)
        finally:
            connection._is_real = False
        self._real = connection.sock
        self._real.sendall(bytes(self._sent))
        return self._real

    def _record(self, request: Request, method: str) -> Response:
        from http.client import HTTPResponse

        with PassedOn():
            reply = HTTPResponse(self._send(), method=method)
            reply.begin()
            content = reply.read()
        response = make_response(reply.status, reply.reason, reply.getheaders(), content)
        self._cassette.append(request, response)
        return response


def hook_aiohttp(module: Any) -> None:
    from . import aiohttp_client  # it loads asyncio

    aiohttp_client.hook_aiohttp(module)


_CLIENTS: dict[str, Callable[[Any], None]] = {
    "http.client": hook_http_client,
    "urllib3.connection": hook_http_client,
    "httpx": hook_httpx,
    "httpx2": hook_httpx,
    "aiohttp": hook_aiohttp,
}
