"""Reports connections of libcurl and gRPC to a provider, which are below Python. Strict mode refuses them.

PYTEST_DONT_REWRITE
"""

from urllib.parse import urlsplit

import tapedeck_guard as guard
import tapedeck_network as network
from tapedeck_hooks import wrap

_URL = 10002  # of libcurl's options


def _look(url, what, *mend, refuses=True):
    if isinstance(url, bytes):
        url = url.decode("latin1")
    place = urlsplit(url if "://" in url else "https://" + url)
    if refuses:
        network.check(place.hostname, place.port)
    if guard.is_provider(place.hostname, place.port):
        guard.pass_by(place.hostname, place.port, what, *mend)


def _setopt(original, refuses=True):
    def setopt(self, option, value, *args):
        if option == _URL and isinstance(value, (str, bytes)):
            _look(value, "its client is libcurl", refuses=refuses)
        return original(self, option, value, *args)

    return setopt


def hook_curl_cffi(module):
    wrap(module.Curl, "setopt", _setopt)


def hook_pycurl(module):
    """A type of C takes no other methods. Where the network is blocked, `perform` is refused as in pytest-recording."""
    module.Curl = type("Curl", (module.Curl,), {"setopt": _setopt(module.Curl.setopt, refuses=False)})


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
    address = target.rpartition("/")[2]  # "dns:///host:port", mostly without the prefix
    _look(address, "it speaks gRPC", "Have the client use REST, or call the provider with a client that does.")


def hook_grpc(module):
    def make(original):
        def secure_channel(target, *args, **named):
            channel = original(target, *args, **named)
            return module.intercept_channel(channel, *_interceptors(module, target, _intercept))

        return secure_channel

    wrap(module, "secure_channel", make)


def hook_grpc_aio(module):
    def make(original):
        def secure_channel(target, credentials, options=None, compression=None, interceptors=None):
            ours = list(_interceptors(module, target, _intercept_async))
            return original(target, credentials, options, compression, ours + list(interceptors or ()))

        return secure_channel

    wrap(module, "secure_channel", make)
