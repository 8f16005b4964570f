"""Answers aiohttp from the cassette in use, with a transport of our own in the place of a connection."""

from __future__ import annotations

import asyncio
from typing import Any

from .answering import PassedOn, answer, make_response, takes, wrap
from .cassette import Cassette, current
from .interactions import Response
from .request import Request
from .wire import read_request, to_wire


def hook_aiohttp(module: Any) -> None:
    def make(original: Any) -> Any:
        async def _create_connection(self: Any, req: Any, traces: Any, timeout: Any) -> Any:
            cassette = current()
            if cassette is None:
                return await original(self, req, traces, timeout)
            protocol = self._factory()
            origin = str(req.url.origin())

            async def connect() -> Any:
                return await original(self, req, traces, timeout)

            protocol.connection_made(_Transport(protocol, origin, connect, cassette))
            return protocol

        return _create_connection

    wrap(module.TCPConnector, "_create_connection", make)


class _Transport(asyncio.Transport):
    """Collects a request, and gives the protocol the recorded response, or connects and sends it."""

    def __init__(self, protocol: Any, origin: str, connect: Any, cassette: Cassette) -> None:
        super().__init__()
        self._protocol, self._origin, self._connect, self._cassette = protocol, origin, connect, cassette
        self._sent = bytearray()
        self._is_closing = False
        self._sending: Any = None

    def write(self, data: Any) -> None:
        self._sent += data
        found = read_request(self._sent)
        if found is None:
            return
        method, target, headers, body = found
        uri = target if "://" in target else self._origin + target  # a whole address goes to a proxy
        request = Request(method, uri, body or None, headers)
        try:
            response = answer(self._cassette, request)
        except Exception as error:
            asyncio.get_running_loop().call_soon(self._protocol.set_exception, error)
            return
        if response is not None:
            asyncio.get_running_loop().call_soon(self._protocol.data_received, to_wire(response, method == "HEAD"))
        elif takes(self._cassette, request):
            self._sending = asyncio.ensure_future(self._record(request))
        else:
            self._sending = asyncio.ensure_future(self._send())

    def writelines(self, pieces: Any) -> None:
        self.write(b"".join(pieces))

    async def _send(self) -> None:
        try:
            real = (await self._connect()).transport
            real.set_protocol(self._protocol)
            self._protocol.connection_made(real)
            real.write(bytes(self._sent))
        except Exception as error:
            self._protocol.set_exception(error)

    async def _record(self, request: Request) -> None:
        try:
            with PassedOn():
                response = await asyncio.to_thread(_fetch, request)
            self._cassette.append(request, response)
            self._protocol.data_received(to_wire(response, request.method == "HEAD"))
        except Exception as error:
            self._protocol.set_exception(error)

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    abort = close

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol


def _fetch(request: Request) -> Response:
    """Sends a request past the cassette in use."""
    import http.client

    kind = http.client.HTTPSConnection if request.scheme == "https" else http.client.HTTPConnection
    connection: Any = kind(request.host or "", request.port)
    connection._is_real = True
    parts = request.parsed_uri
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    connection.request(request.method, target, request.body, dict(request.headers))
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return make_response(reply.status, reply.reason, reply.getheaders(), content)
