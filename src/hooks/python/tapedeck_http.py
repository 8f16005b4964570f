"""Where Python's HTTP libraries send a request: the header is added there, for the replay server alone.

PYTEST_DONT_REWRITE
"""

from tapedeck_attribution import HEADER, header, is_ours, quietly, trouble, wrap
from tapedeck_guard import redirects, tell_elsewhere


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
    url = request.url
    tell_elsewhere(request.method, url.host, url.port, url.path)
    if is_ours(request.url.host, request.url.port) and HEADER not in request.headers:
        value = header()
        if value:
            request.headers[HEADER] = value


def _httpx(module):
    def expect_ours(request):
        def find():
            return request.url.host, request.url.port

        _expect_ours(find, lambda why: module.ConnectError(why, request=request))

    def sync(original):
        def send(self, request, *args, **named):
            expect_ours(request)
            quietly(_mark, request)
            return original(self, request, *args, **named)

        return send

    def coroutine(original):
        async def send(self, request, *args, **named):
            expect_ours(request)
            quietly(_mark, request)
            return await original(self, request, *args, **named)

        return send

    wrap(module.Client, "send", sync)
    wrap(module.AsyncClient, "send", coroutine)


def _http_client(module):
    def make(original):
        def putrequest(self, *args, **named):
            _expect_ours(lambda: (self.host, self.port), ConnectionRefusedError)
            result = original(self, *args, **named)
            quietly(mark, self)
            quietly(look, self, *args[:2])
            return result

        return putrequest

    def look(connection, method="", path=""):
        tell_elsewhere(method, connection.host, connection.port, path)

    def mark(connection):
        if is_ours(connection.host, connection.port) or redirects(connection.host, connection.port):
            value = header()
            if value:
                connection.putheader(HEADER, value)

    wrap(module.HTTPConnection, "putrequest", make)


def _aiohttp(module):
    def make(original):
        async def _request(self, method, url, **named):
            _expect_ours(lambda: place(self, url), module.ClientConnectionError)
            quietly(mark, self, url, named)
            quietly(lambda: tell_elsewhere(str(method).upper(), *place(self, url), str(url)))
            return await original(self, method, url, **named)

        return _request

    def place(session, url):
        built = session._build_url(url) if hasattr(session, "_build_url") else url
        return getattr(built, "host", None), getattr(built, "port", None)

    def mark(session, url, named):
        if is_ours(*place(session, url)) or redirects(*place(session, url)):
            value = header()
            if value:
                from multidict import CIMultiDict

                headers = CIMultiDict(named.get("headers") or {})
                headers.setdefault(HEADER, value)
                named["headers"] = headers

    wrap(module.ClientSession, "_request", make)


# httpx2 is what the newest openai and anthropic packages are built on; http.client carries urllib, urllib3 and requests.
HOOKS = {"httpx": _httpx, "httpx2": _httpx, "http.client": _http_client, "aiohttp": _aiohttp}
