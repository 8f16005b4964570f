"""Looks at connections of libcurl, gRPC, and libuv, which are below Python: refuses them where a test blocks its network,
and reports those of libcurl and gRPC to a provider, which strict mode refuses.

PYTEST_DONT_REWRITE
"""

from urllib.parse import urlsplit

import tapedeck_guard as guard
import tapedeck_network as network
from tapedeck_hooks import wrap

_URL = 10002  # of libcurl's options
_WITHOUT_HOST = ("unix:", "unix-abstract:", "vsock:")  # addresses of gRPC


def _place_of(url):
    url = url.decode("latin1") if isinstance(url, bytes) else url
    return urlsplit(url if "://" in url else "https://" + url)


def _look(url, what, *mend):
    place = _place_of(url)
    if guard.is_provider(place.hostname, place.port):
        guard.pass_by(place.hostname, place.port, what, *mend)


def _check(url):
    network.check(_place_of(url).hostname, _place_of(url).port)


# ---- libcurl ----


def hook_curl_cffi(module):
    def make(original):
        def setopt(self, option, value, *args):
            if option == _URL and isinstance(value, (str, bytes)):
                _check(value)
                _look(value, "its client is libcurl")
            return original(self, option, value, *args)

        return setopt

    wrap(module.Curl, "setopt", make)


def hook_pycurl(module):
    """Types of C take no other methods. Where the network is blocked, `perform` is refused as in pytest-recording."""

    def check_handle(curl):
        _check(getattr(curl, "_tapedeck_url", ""))

    def make_checked(original):
        def perform(self, *args):
            check_handle(self)
            return original(self, *args)

        return perform

    class Curl(module.Curl):
        def setopt(self, option, value, *args):
            if option == _URL and isinstance(value, (str, bytes)):
                self._tapedeck_url = value
                _look(value, "its client is libcurl")
            return super().setopt(option, value, *args)

    for name in ("perform", "perform_rb", "perform_rs"):
        if hasattr(Curl, name):
            setattr(Curl, name, make_checked(getattr(Curl, name)))
    module.Curl = Curl

    class CurlMulti(module.CurlMulti):
        def add_handle(self, curl):
            check_handle(curl)
            return super().add_handle(curl)

    module.CurlMulti = CurlMulti


# ---- libuv ----


def hook_uvloop(module):
    """Checks hosts in a subclass, because `tapedeck_sockets` wraps the same methods, and `wrap` wraps a method once."""

    class Loop(module.Loop):
        pass

    def make(name):
        def connect(self, *args, **named):
            for host, port in _places_of(name, args, named):
                network.check(host, port)
            return getattr(super(Loop, self), name)(*args, **named)

        return connect

    for name in ("create_connection", "create_datagram_endpoint", "getaddrinfo", "getnameinfo", "sock_connect"):
        setattr(Loop, name, make(name))
    module.Loop = Loop


def _places_of(name, args, named):
    """Returns the hosts that a method of a loop is to reach, each with its port."""
    if name == "create_datagram_endpoint":
        return [place for place in (args[2] if args[2:] else named.get("remote_addr"),) if place]
    if name in ("getnameinfo", "sock_connect"):
        place = args[0 if name == "getnameinfo" else 1]
        return [place[:2]] if isinstance(place, tuple) else []
    first = 1 if name == "create_connection" else 0
    values = list(args[first : first + 2]) + [None, None]
    return [(values[0] or named.get("host"), values[1] or named.get("port"))]


# ---- gRPC ----

_KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


def _interceptors(module, target, intercept):
    """One for each kind of call: what asyncio's channels are given may be of one kind only."""
    for kind in _KINDS:
        name = "".join(word.capitalize() for word in kind.split("_"))
        base = getattr(module, name + "ClientInterceptor")
        yield type("Tapedeck" + name, (base,), {"intercept_" + kind: intercept(target)})()


def _intercept(target):
    def intercept(self, proceed, details, request):
        _look_at_call(target)
        return proceed(details, request)

    return intercept


def _intercept_async(target):
    async def intercept(self, proceed, details, request):
        _look_at_call(target)
        return await proceed(details, request)

    return intercept


def _look_at_call(target):
    if target.startswith(_WITHOUT_HOST):
        return
    # "dns:///host:port" or "ipv4:host:port,host:port", mostly without the prefix
    for address in target.rpartition("/")[2].removeprefix("dns:").removeprefix("ipv4:").removeprefix("ipv6:").split(","):
        _check(address)
        _look(address, "it speaks gRPC", "Have the client use REST, or call the provider with a client that does.")


def hook_grpc(module):
    def make(original):
        def channel(target, *args, **named):
            opened = original(target, *args, **named)
            return module.intercept_channel(opened, *_interceptors(module, target, _intercept))

        return channel

    for name in ("secure_channel", "insecure_channel"):
        wrap(module, name, make)


def hook_grpc_aio(module):
    def make(original):
        def channel(target, *args, interceptors=None, **named):
            # All other arguments may be positional; the interceptors are the last of them.
            most = 4 if original.__name__ == "secure_channel" else 3
            args, interceptors = (args[:-1], args[-1]) if len(args) == most else (args, interceptors)
            ours = list(_interceptors(module, target, _intercept_async))
            return original(target, *args, interceptors=ours + list(interceptors or ()), **named)

        return channel

    for name in ("secure_channel", "insecure_channel"):
        wrap(module, name, make)
