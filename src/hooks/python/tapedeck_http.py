"""Adds the header to requests of HTTP libraries, for the replay server alone, and numbers identical calls.

PYTEST_DONT_REWRITE
"""

from tapedeck_guard import is_call_elsewhere, redirects
from tapedeck_header import Numbered, call_header
from tapedeck_hooks import quietly, wrap
from tapedeck_server import HEADER, is_ours, trouble


def _expect_ours(find, fail):
    """Raises fail(why) where find() gives the host and port of the replay server, and that is another program's now."""
    why = None
    try:
        if is_ours(*find()):
            why = trouble()
    except Exception:
        pass
    if why is not None:
        raise fail(why)


def _mark(request):
    if is_ours(request.url.host, request.url.port) and HEADER not in request.headers:
        value = call_header()
        if value:
            request.headers[HEADER] = value


def _header_for(host, port):
    """The header of a request to there, if the replay server gets it."""
    return call_header() if is_ours(host, port) or redirects(host, port) else None


def _is_to_server(sock):
    """Of a connection that may not be open yet. One that a cassette answers opens only if the cassette does not."""
    try:
        return sock is not None and (getattr(sock, "opens_later", False) or is_ours(*sock.getpeername()[:2]))
    except Exception:
        return False


def hook_urllib3(module):
    def make(original):
        def urlopen(self, method, url, body=None, headers=None, *args, **named):
            quietly(look, self, method, url)
            with Numbered(method, "%s:%s%s" % (self.host, self.port, url), headers, body) as call:
                reply = original(self, method, url, body, headers, *args, **named)
                call.answered(reply.status)
                return reply

        return urlopen

    def look(pool, method, url):
        if is_call_elsewhere(method, pool.scheme, pool.host, pool.port, url):
            idle = pool.pool.queue
            for place, connection in enumerate(idle):
                if connection is not None and not _is_to_server(getattr(connection, "sock", None)):
                    idle[place] = None
                    connection.close()

    wrap(module.HTTPConnectionPool, "urlopen", make)


def hook_httpx(module):
    import contextlib  # httpx has loaded it

    @contextlib.contextmanager
    def sending(request):
        def find():
            return request.url.host, request.url.port

        _expect_ours(find, lambda why: module.ConnectError(why, request=request))
        with Numbered(request.method, request.url, request.headers, getattr(request, "_content", None)) as call:
            quietly(_mark, request)
            yield call

    def sync(original):
        def send(self, request, *args, **named):
            with sending(request) as call:
                reply = original(self, request, *args, **named)
                call.answered(reply.status_code)
                return reply

        return send

    def coroutine(original):
        async def send(self, request, *args, **named):
            with sending(request) as call:
                reply = await original(self, request, *args, **named)
                call.answered(reply.status_code)
                return reply

        return send

    wrap(module.Client, "send", sync)
    wrap(module.AsyncClient, "send", coroutine)


def hook_http_client(module):
    def make(original):
        def putrequest(self, *args, **named):
            _expect_ours(lambda: (self.host, self.port), ConnectionRefusedError)
            quietly(look, self, *args[:2])
            result = original(self, *args, **named)
            quietly(mark, self)
            return result

        return putrequest

    def look(connection, method="", path=""):
        tunnel = getattr(connection, "_tunnel_host", None)
        host, port = (tunnel, connection._tunnel_port) if tunnel else (connection.host, connection.port)
        scheme = "https" if tunnel or connection.default_port == 443 else "http"
        if is_call_elsewhere(method, scheme, host, port, path) and not _is_to_server(connection.sock):
            if connection.sock is not None:
                connection.close()
            connection.host, connection.port, connection._tunnel_host = host, port, None

    def mark(connection):
        value = _header_for(connection.host, connection.port)
        if value:
            connection.putheader(HEADER, value)

    wrap(module.HTTPConnection, "putrequest", make)


def hook_urllib(module):
    def make(original):
        def do_open(self, http_class, request, **named):
            with Numbered(request.get_method(), request.full_url, request.headers, request.data) as call:
                reply = original(self, http_class, request, **named)
                call.answered(reply.status)
                return reply

        return do_open

    wrap(module.AbstractHTTPHandler, "do_open", make)


def hook_aiohttp(module):
    def make(original):
        async def _request(self, method, url, **named):
            _expect_ours(lambda: place(self, url), module.ClientConnectionError)
            quietly(look, self, method, url)
            with numbered(method, url, named) as call:
                quietly(mark, self, url, named)
                reply = await original(self, method, url, **named)
                call.answered(reply.status)
                return reply

        return _request

    def look(session, method, url):
        host, port = place(session, url)
        scheme = getattr(session._build_url(url), "scheme", "https")
        if is_call_elsewhere(method, scheme, host, port, str(url)):
            for key, idle in list(session.connector._conns.items()):
                peers = [protocol.transport.get_extra_info("peername") for protocol, _ in idle if protocol.transport]
                if key.host == host and key.port == port and not all(is_ours(*peer[:2]) for peer in peers if peer):
                    for protocol, _ in session.connector._conns.pop(key):
                        protocol.close()

    def numbered(method, url, named):
        body = named.get("data")
        if body is None and named.get("json") is not None:
            body = repr(named["json"])
        return Numbered(method, url, named.get("headers"), body)

    def place(session, url):
        built = session._build_url(url) if hasattr(session, "_build_url") else url
        return getattr(built, "host", None), getattr(built, "port", None)

    def mark(session, url, named):
        value = _header_for(*place(session, url))
        if value:
            from multidict import CIMultiDict

            named["headers"] = CIMultiDict(named.get("headers") or {})
            named["headers"].setdefault(HEADER, value)

    wrap(module.ClientSession, "_request", make)


def hook_websockets(module):
    """Marks the handshake of a WebSocket, which is the only request of its connection."""

    def make(original):
        def connect(self):
            request = original(self)
            quietly(mark, self.uri, request)
            return request

        return connect

    def mark(uri, request):
        value = _header_for(uri.host, uri.port)
        if value:
            request.headers[HEADER] = value

    wrap(module.ClientProtocol, "connect", make)


def hook_stainless(module):
    """Asynchronous clients look up the platform in a thread at their first calls, which then leave in any order."""

    def make(original):
        def __init__(self, *args, **named):
            original(self, *args, **named)
            quietly(look_up, self)

        return __init__

    def look_up(client):
        client._platform = module.get_platform()

    wrap(module.AsyncAPIClient, "__init__", make)
