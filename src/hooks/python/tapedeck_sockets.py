"""Redirects connections of sockets: http.client, urllib3, websockets, plain TLS; those of asyncio and uvloop; name lookups.

PYTEST_DONT_REWRITE
"""

import weakref
from _socket import gaierror

import tapedeck_guard as guard
from tapedeck_hooks import quietly, wrap
from tapedeck_server import is_ours, report_process, server_address

_tunnels = weakref.WeakKeyDictionary()  # a socket to the replay server: the host that its client meant
_classes = {}


# ---- connections that are opened ----


def _create_connection(original):
    def create_connection(address, *args, **named):
        host, port = address[:2]
        if not guard.redirects(host, port):
            return original(address, *args, **named)
        args = args[:1] + (None,) + args[2:] if len(args) > 1 else args  # the source address belongs to another network
        named.pop("source_address", None)
        sock = original(server_address(), *args, **named)
        _ask_for(sock, host, port)
        return sock

    return create_connection


def _ask_for(sock, host, port):
    """Asks the replay server on a connection to it to stand for a host."""
    try:
        sock.sendall(guard.words_for(host, port))
        answer = b""
        while not guard.is_agreed(answer):
            part = sock.recv(4096)
            if not part:
                raise guard.closed(answer)
            answer += part
    except BaseException:
        sock.close()
        raise
    _tunnels[sock] = host


def _connect(module):
    def make(original):
        def connect(self, address):
            place = address[:2] if isinstance(address, tuple) else (None, None)
            if not guard.redirects(*place):
                return original(self, address)
            if self.family != module.AF_INET or self.gettimeout() == 0 or hasattr(self, "_sslobj"):
                guard.pass_by(*place, "its client opens connections in a way of its own")
                return original(self, address)
            error = original(self, server_address())
            if not error:
                _ask_for(self, *place)
            return error

        return connect

    return make


def hook_create_connection(module):
    if hasattr(module, "create_connection"):
        wrap(module, "create_connection", _create_connection)


def hook_socket(module):
    hook_create_connection(module)
    for name in ("connect", "connect_ex"):
        wrap(module.socket, name, _connect(module))
    _watch_sends(module.socket, "send", "sendall")
    tell = guard.SETTINGS.get("tell")
    if tell:
        report_process(tell)  # only here: a process without sockets makes no call


def _watch_sends(kind, *names):
    if not guard.SETTINGS.get("counts"):
        return

    def make(original):
        def send(self, data, *args):
            guard.expect_no_call(self, data)
            return original(self, data, *args)

        return send

    for name in names:
        wrap(kind, name, make)


def hook_proxy_tunnel(module):
    """Connections to a provider's host use no proxy."""

    def make(original):
        def set_tunnel(self, host, port=None, headers=None):
            place = self._get_hostport(host, port)
            if not guard.redirects(*place):
                return original(self, host, port, headers)
            self.host, self.port = place
            if hasattr(self, "proxy"):
                self.proxy = None  # urllib3's: it would speak to a proxy

        return set_tunnel

    wrap(module.HTTPConnection, "set_tunnel", make)


# ---- TLS on redirected connections: there is none ----


def hook_tls(module):
    context = module.SSLContext

    def over_socket(original):
        def wrap_socket(self, sock, *args, **named):
            if _is_tunnel(sock):
                return _look_like_tls(sock, self, _tunnels[sock])
            if is_server_itself(sock):
                return _look_like_tls(sock, self, "localhost")
            host, is_server = _meant(args, named)
            if not is_server:
                _refuse(host, sock)
            place = guard.place_left(sock)
            secure = original(self, sock, *args, **named)
            if place:
                guard._left[secure] = place
            return secure

        return wrap_socket

    def over_bytes(original):
        def wrap_bio(self, incoming, outgoing, server_side=False, server_hostname=None, *args, **named):
            if not server_side:
                _refuse(server_hostname)
            return original(self, incoming, outgoing, server_side, server_hostname, *args, **named)

        return wrap_bio

    wrap(context, "wrap_socket", over_socket)
    if hasattr(module, "SSLSocket"):
        _watch_sends(module.SSLSocket, "send", "sendall", "write")
    if hasattr(context, "wrap_bio"):
        wrap(context, "wrap_bio", over_bytes)


def is_server_itself(sock):
    """Whether TLS is meant for the replay server, which speaks none: SDKs of WebSockets make wss: of every address."""
    try:
        return is_ours(*sock.getpeername()[:2])
    except Exception:
        return False  # not connected


def _is_tunnel(sock):
    try:
        return sock in _tunnels
    except TypeError:  # another object that reads and writes
        return False


def _meant(args, named):
    """Host and side from the arguments of SSLContext.wrap_socket after the socket."""
    at = dict(enumerate(args))
    return named.get("server_hostname", at.get(3)), named.get("server_side", at.get(0, False))


def _refuse(host, sock=None):
    port = None
    try:
        port = sock.getpeername()[1]
    except Exception:
        pass
    if guard.is_provider(host, port) or guard.is_provider(host):
        guard.pass_by(host, port, "its client sets up TLS itself")


def _look_like_tls(sock, context, host):
    timeout, kind = sock.gettimeout(), type(sock)
    if kind not in _classes:
        _classes[kind] = type("TapedeckSocket", (_LooksLikeTls, kind), {})
    secure = _classes[kind](sock.family, sock.type, sock.proto, fileno=sock.detach())
    secure.settimeout(timeout)
    secure.server_hostname, secure.context = host, context
    return secure


class _LooksLikeTls:
    server_side = False
    session = None
    session_reused = False

    def version(self):
        return "TLSv1.3"

    def cipher(self):
        return "TLS_AES_256_GCM_SHA384", "TLSv1.3", 256

    def compression(self):
        return None

    def selected_alpn_protocol(self):
        return "http/1.1"

    def getpeercert(self, binary_form=False):
        if binary_form:  # a client that compares the certificate with one that it pins
            guard.report_pinned(self.server_hostname)
            return b""
        host = self.server_hostname
        return {"subject": ((("commonName", host),),), "subjectAltName": (("DNS", host),)}

    def do_handshake(self, block=False):
        pass

    def pending(self):
        return 0

    def unwrap(self):
        return self

    def read(self, length=1024, buffer=None):
        return self.recv(length) if buffer is None else self.recv_into(buffer, length)

    def write(self, data):
        return self.send(data)


# ---- event loops ----


async def open_in(loop, host, port):
    """Opens a socket to the replay server for HTTP/1.1 to a host."""
    import socket

    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        await loop.sock_connect(sock, server_address())
        await loop.sock_sendall(sock, guard.words_for(host, port))
        answer = b""
        while not guard.is_agreed(answer):
            part = await loop.sock_recv(sock, 4096)
            if not part:
                raise guard.closed(answer)
            answer += part
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        sock.close()
        raise
    return sock


def _loop(loop):
    def make(original):
        async def create_connection(self, protocol_factory, host=None, port=None, **named):
            if named.get("sock") is None and guard.redirects(host, port):
                sock = await open_in(self, host, port)
                return await original(self, protocol_factory, sock=sock)
            sock = named.get("sock")
            if named.get("ssl") and (is_ours(host, port) or sock is not None and is_server_itself(sock)):
                for name in [name for name in named if name == "ssl" or name.startswith(("ssl_", "server_hostname"))]:
                    del named[name]
                return await original(self, protocol_factory, host, port, **named)
            if named.get("ssl") and guard.is_provider(named.get("server_hostname")):
                guard.pass_by(named["server_hostname"], None, "its client opens connections in a way of its own")
            return await original(self, protocol_factory, host, port, **named)

        return create_connection

    wrap(loop, "create_connection", make)


def hook_asyncio(module):
    _loop(module.BaseEventLoop)


def hook_uvloop(module):
    _loop(module.Loop)


def hook_green_tls(module):
    for name in ("SSLContext", "GreenSSLContext"):
        if isinstance(getattr(module, name, None), type):
            quietly(hook_tls, type("Named", (), {"SSLContext": getattr(module, name)}))


# ---- names that a program looks up itself ----


class _Unresolved(ConnectionRefusedError, gaierror):
    """The error that callers of getaddrinfo expect: after another one, Twisted waits forever."""


def _getaddrinfo(original):
    def getaddrinfo(host, port, *args, **named):
        # The hooks on connections look nothing up, so this caller opens one in another way.
        if guard.is_provider(host, port if isinstance(port, int) else None) and not guard.is_faked():
            try:
                guard.pass_by(host, port, "its client opens connections in a way of its own")
            except ConnectionRefusedError as error:
                raise _Unresolved(str(error)) from None
            return original(host, port, *args, **named)
        found = original(host, port, *args, **named)
        guard.looked_up(host, [place[4][0] for place in found])
        return found

    return getaddrinfo


def _gethostbyname(original):
    def gethostbyname(host):
        found = original(host)
        guard.looked_up(host, [found] if isinstance(found, str) else found[2])
        return found

    return gethostbyname


def hook_lookups(module):
    for name, make in (
        ("getaddrinfo", _getaddrinfo),
        ("gethostbyname", _gethostbyname),
        ("gethostbyname_ex", _gethostbyname),
    ):
        if hasattr(module, name):
            wrap(module, name, make)
