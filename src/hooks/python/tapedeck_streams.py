"""Redirects connections of httpcore, which httpx is built on, and of aiohttp; marks what goes over them.

PYTEST_DONT_REWRITE
"""

import tapedeck_guard as guard
from tapedeck_header import call_header
from tapedeck_hooks import quietly, wrap
from tapedeck_server import HEADER, server_address
from tapedeck_sockets import open_in


def hook_httpcore(module):
    for name in ("SyncBackend", "AnyIOBackend", "TrioBackend"):
        backend = getattr(module, name, None)
        if hasattr(backend, "connect_tcp"):
            wrap(backend, "connect_tcp", _connect(module, name != "SyncBackend"))
    for kind, method in (("", "handle_request"), ("Async", "handle_async_request")):
        single = getattr(module, kind + "HTTPConnection")
        for name in ("ConnectionPool", "HTTPProxy", "SOCKSProxy"):
            pool = getattr(module, kind + name, None)
            if pool is not None and "create_connection" in vars(pool):
                quietly(wrap, pool, "create_connection", _without_proxy(single, name != "ConnectionPool"))
        quietly(wrap, getattr(module, kind + "ConnectionPool"), method, _look)
        quietly(wrap, single, method, _renew(module, kind == "Async"))
        for protocol in ("HTTP11Connection", "HTTP2Connection"):
            quietly(wrap, getattr(module, kind + protocol), method, _marked)


def _is_call_elsewhere(request):
    url = request.url
    return guard.is_call_elsewhere(request.method, url.scheme, url.host, url.port, url.target)


def _look(original):
    """Looks at a request before the pool chooses between a proxy and a direct connection."""

    def handle(self, request, *args, **named):
        quietly(_is_call_elsewhere, request)
        return original(self, request, *args, **named)

    return handle


def _is_past(single, request):
    """Whether a call to a model would go out over a connection that was opened before its host was known."""
    stream = getattr(getattr(single, "_connection", None), "_network_stream", None)
    return stream is not None and not getattr(stream, "is_tapedeck", False) and _is_call_elsewhere(request)


def _renew(module, is_async):
    """Has the pool open another connection."""

    async def close(connection):
        await connection.aclose()
        raise module.ConnectionNotAvailable()

    def make(original):
        def handle(self, request, *args, **named):
            if not _is_past(self, request):
                return original(self, request, *args, **named)
            if is_async:
                return close(self)
            self.close()
            raise module.ConnectionNotAvailable()

        return handle

    return make


def _place(args, named):
    return (named.get("host", args[0] if args else None), named.get("port", args[1] if args[1:] else None))


def _connect(module, is_async):
    def make(original):
        async def connect_tcp(self, *args, **named):
            place = _place(args, named)
            if not guard.redirects(*place):
                return await _settle(original(self, *args, **named))
            timeout = named.get("timeout", args[2] if args[2:] else None)
            stream = await _settle(original(self, **_for_server(module, args, named, timeout)))
            try:
                await _settle(stream.write(guard.words_for(*place), timeout))
                answer = b""
                while not _is_agreed(module, answer):
                    answer += _more(module, await _settle(stream.read(4096, timeout)), answer)
            except BaseException:
                await _settle(stream.aclose() if is_async else stream.close())
                raise

            async def start_tls(*_args, **_named):
                return stream

            stream.start_tls, stream.is_tapedeck = start_tls if is_async else _run(start_tls), True
            return stream

        return connect_tcp if is_async else _run(connect_tcp)

    return make


async def _settle(value):
    """Awaits what a stream of an event loop returns; that of a thread returns results."""
    return await value if hasattr(value, "__await__") else value


def _run(function):
    """Makes an ordinary function of an asynchronous one that waits for nothing."""

    def run(*args, **named):
        try:
            function(*args, **named).send(None)
        except StopIteration as done:
            return done.value

    return run


def _for_server(module, args, named, timeout):
    """The arguments of connect_tcp, for the replay server; an address of another network does not reach it."""
    try:
        host, port = server_address()
    except OSError as error:
        raise module.ConnectError(str(error)) from error
    options = {"socket_options": args[4]} if args[4:] else {}
    kept = {name: value for name, value in named.items() if name not in ("host", "port", "timeout", "local_address")}
    return dict(options, **kept, host=host, port=port, timeout=timeout)


def _is_agreed(module, answer):
    try:
        return guard.is_agreed(answer)
    except OSError as error:
        raise module.ConnectError(str(error)) from error


def _more(module, part, answer):
    if not part:
        raise module.ConnectError(str(guard.closed(answer)))
    return part


def _without_proxy(single, is_proxy):
    def make(original):
        def create_connection(self, origin):
            if not (is_proxy or getattr(self, "_proxy", None)):
                return original(self, origin)
            if not guard.redirects(origin.host, origin.port):
                return original(self, origin)
            names = ("ssl_context", "keepalive_expiry", "http1", "http2", "network_backend")
            return single(origin=origin, **{name: getattr(self, "_" + name) for name in names})

        return create_connection

    return make


def _marked(original):
    """Below what tests put in the place of transports: what they see is what the program sent."""

    def handle(self, request, *args, **named):
        quietly(_mark, self, request)
        return original(self, request, *args, **named)

    return handle


def _mark(connection, request):
    if not getattr(connection._network_stream, "is_tapedeck", False):
        return
    name = HEADER.encode()
    if any(key.lower() == name for key, _ in request.headers):
        return
    value = call_header()
    if value:
        request.headers = list(request.headers) + [(name, value.encode())]


def hook_aiohttp(module):
    def make(original):
        async def _create_connection(self, req, traces, timeout):
            place = req.url.raw_host, req.url.port
            if not guard.redirects(*place):
                return await original(self, req, traces, timeout)
            try:
                sock = await open_in(self._loop, *place)
            except OSError as error:
                raise module.ClientConnectorError(req.connection_key, error) from error
            return (await self._loop.create_connection(self._factory, sock=sock))[1]

        return _create_connection

    wrap(module.TCPConnector, "_create_connection", make)
