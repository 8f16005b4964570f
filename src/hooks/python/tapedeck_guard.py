"""Which connections belong to the replay server, and how one is handed to it; see javascript/guard.cjs.

  TAPEDECK_GUARD  the hosts of providers, as src/hooks/environment.ts writes them; "off" for none

PYTEST_DONT_REWRITE
"""

import json
import os
import re
import sys
from weakref import WeakKeyDictionary

import tapedeck_attribution as own

_LONGEST_ANSWER = 65536
_PATIENCE = 2  # seconds, for what is told and asked
_FOR_TLS_PORT = 443
_told = set()
# Name servers that are asked over HTTPS by their digits, and serve nothing else there; as javascript/guard.cjs has them.
_RESOLVERS = frozenset(
    """1.1.1.1 1.0.0.1 1.1.1.2 1.0.0.2 1.1.1.3 1.0.0.3 8.8.8.8 8.8.4.4 9.9.9.9 149.112.112.112
    2606:4700:4700::1111 2606:4700:4700::1001 2001:4860:4860::8888 2001:4860:4860::8844 2620:fe::fe 2620:fe::9""".split()
)
_THIS_MACHINE = re.compile(r"127\.|0\.0\.0\.0$|::1?$").match  # what is called there is a test's own
_looked_up = {}  # an address: the provider's host whose name was looked up by hand, or "" for that of another


def _read(text):
    if not text or text == "off":
        return {}
    try:
        said = json.loads(text)
        return said if said.get("v") == 1 else {}
    except Exception:
        return {}  # not as we write it: clients with a variable go on working


def _matcher(names):
    patterns = []
    for name in names or ():
        host, _, port = name.rpartition(":")
        if not port.isdigit():
            host, port = name, r"\d+"
        patterns.append("[A-Za-z0-9-]+".join(re.escape(part) for part in host.split("*")) + ":" + port)
    return re.compile("(?:%s)$" % "|".join(patterns), re.IGNORECASE).match if patterns else lambda _: None


SAID = _read(os.environ.get("TAPEDECK_GUARD"))
_over_tls, _in_clear = _matcher(SAID.get("hosts")), _matcher(SAID.get("plain"))
_learned = {}  # hosts of no known provider at which models were asked, with their ports: "http" or "https"


def _name(host, port):
    host = (host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)).rstrip(".")
    if str(port) == str(_FOR_TLS_PORT):
        host = _looked_up.get(host) or host
    return "%s:%s" % ("[%s]" % host if ":" in host and host[0] != "[" else host, port)


def is_provider(host, port=None):
    """Whether a provider is known at that host over TLS."""
    if not host:
        return False
    name = _name(host, port or _FOR_TLS_PORT)
    return _over_tls(name) is not None or _learned.get(name) == "https"


def is_nameless(host, port):
    """Whether nobody can say whose host it is: digits of a public address that is not known and had no name looked up."""
    if not host or port != _FOR_TLS_PORT or host in _looked_up:
        return False
    from ipaddress import ip_address

    try:
        address = ip_address(str(host).partition("%")[0])
        address = getattr(address, "ipv4_mapped", None) or address
        return address.is_global and str(address) not in _RESOLVERS
    except ValueError:
        return False


def looked_up(host, addresses):
    """
    Which provider's host is meant by an address whose client says no name. Addresses are shared, so that the name which
    was looked up last counts.
    """
    if host in addresses:
        return  # digits say no name
    name = _name(host, _FOR_TLS_PORT).rpartition(":")[0] if is_provider(host) else ""
    for address in addresses:
        _names[_text(address)] = _text(host)
        if not _THIS_MACHINE(address):
            _looked_up[address] = name


def redirects(host, port):
    """Whether a connection to there goes to the replay server instead."""
    if not host or own.is_ours(host, port) or _is_faked():
        return False
    name = _name(host, port or _FOR_TLS_PORT)
    return _over_tls(name) is not None or _in_clear(name) is not None or name in _learned


def _is_faked():
    """Whether tests have put something else in the place of sockets, which then answers what it likes."""
    socket = getattr(sys.modules.get("socket"), "socket", None)
    return socket is not None and getattr(socket, "__module__", "").split(".")[0] not in _SOCKETS


_SOCKETS = ("socket", "gevent", "eventlet")


# ---- the tunnel ----


def server():
    """Host and port of the replay server. Raises ConnectionRefusedError where that is another program's now."""
    why = own.trouble()
    if why is not None:
        raise ConnectionRefusedError(why)
    return "127.0.0.1" if own._host == "localhost" else own._host, int(own._port)


def words_for(host, port):
    """The first words on a redirected connection."""
    name = _name(host, port or _FOR_TLS_PORT)
    words = "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Bearer %s\r\n" % (name, name, own.TOKEN)
    if name in _learned:
        words += "Tapedeck-Scheme: %s\r\n" % _learned[name]
    return (words + "\r\n").encode()


def is_agreed(answer):
    """Of what the server has said so far: True, or False where more has to come. Raises where it refuses."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if end and head.startswith(b"HTTP/1.1 200 "):
        return True
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    if not end or (length and len(body) < int(length.group(1))):
        if len(answer) < _LONGEST_ANSWER:
            return False
    raise ConnectionRefusedError(_refusal(body))


def closed(answer):
    """The server has ended the connection instead of agreeing."""
    return ConnectionRefusedError(_refusal(answer.partition(b"\r\n\r\n")[2]))


def _refusal(body):
    try:
        error = json.loads(body)["error"]
        return error["message"] if isinstance(error, dict) else error
    except Exception:
        return "Tapedeck closed the connection."


# ---- what the server is told of this process, and asked: src/server/guard-notes.ts ----


_MEND = "Have the client use http.client, urllib3, httpx or aiohttp, or set the provider's base-URL variable."


def pass_by(host, port, what, mend=_MEND):
    """
    For a connection that cannot be redirected: told to the server, and refused in modes in which nothing may leave the
    machine. Raises ConnectionRefusedError then.
    """
    may_leave = b'"leaves":true' in ask_mode()
    key = (_name(host, port or _FOR_TLS_PORT), id(own.running()))
    if key not in _told:
        _told.add(key)
        reason = "%s, which Tapedeck does not record" if may_leave else "%s, which Tapedeck cannot answer: it was refused"
        _ask("passed", host=key[0], reason=reason % what)
    if not may_leave:
        text = "Tapedeck refused a connection to %s: %s, and nothing may be sent in this mode. %s"
        raise ConnectionRefusedError(text % (key[0].rpartition(":")[0], what, mend))


def tell_pinned(host):
    key = (_name(host, _FOR_TLS_PORT), "pinned")
    if key not in _told:
        _told.add(key)
        reason = "its client pins the provider's certificate, which Tapedeck does not have: it may have ended the call. "
        _ask("passed", host=key[0], reason=reason + "Leave the pin out in tests, or set the base-URL variable")


def ask_mode():
    return _ask("mode")


def hello():
    if SAID.get("tell"):
        _ask("hello", waits=False)


_is_model_path = re.compile(SAID["calls"], re.IGNORECASE).search if SAID.get("calls") else lambda _: None


def is_call_elsewhere(method, scheme, host, port, path):
    """
    Whether a request is a call to a model at a host of no known provider. Connections to there lead to the server from
    then on, so that the caller has to close those that it opened before. See javascript/model-calls.cjs.
    """
    host, path, scheme = _text(host), _text(path), _text(scheme).replace("ws", "http")
    if not host or _text(method).upper() != "POST" or own.is_ours(host, port) or _is_faked() or not _is_model_path(path):
        return False
    name = _name(host, port or (80 if scheme == "http" else _FOR_TLS_PORT))
    if _over_tls(name) is not None or _in_clear(name) is not None:
        return False
    if is_here(host):
        if name not in _told:
            _told.add(name)
            _ask("elsewhere", waits=False, host=name)
        return False
    _learned[name] = scheme
    return True


def _text(value):
    return value.decode("latin1") if isinstance(value, bytes) else str(value or "")


def is_here(host):
    """Whether it is this machine's: a test starts its stand-ins there."""
    return host == "localhost" or host.endswith(".localhost") or _THIS_MACHINE(host.strip("[]")) is not None


def _audit(event, values):
    """Notes connections that leave the machine and ask no model; refuses them where the run blocks the network."""
    if event != "socket.connect":
        return
    sock, address = values
    if not isinstance(address, tuple) or sock.type & 0xF != 1 or own.is_ours(*address[:2]) or _is_faked():
        return
    host, port = _names.get(_text(address[0])) or _text(address[0]), address[1]
    if is_here(_text(address[0])):
        return
    name = host if port in (80, 443) else "%s:%s" % (host, port)
    if _is_allowed(_name(host, port)) is None:
        _ask("blocked", host=name)
        text = "Tapedeck refused a connection to %s: this run blocks the network (--block-network). "
        raise ConnectionRefusedError(text % host + 'If tests need that host, add it to "allowHosts" in tapedeck.jsonc.')
    if SAID.get("counts"):
        _ask("left", host=name)
        _left[sock] = host, port


def expect_no_call(sock, data):
    """Refuses a call to a model that a program writes by hand. Raises ConnectionRefusedError."""
    place = place_left(sock)
    try:
        found = place and _REQUEST(bytes(data[:_FIRST_LINE]))
    except Exception:
        return
    if found and _is_model_path(_text(found.group(1))):
        pass_by(*place, "its client writes HTTP directly to a socket")


def place_left(sock):
    """Host and port of no known provider that a socket is connected to, or None."""
    try:
        return _left.get(sock)
    except TypeError:  # another object that reads and writes
        return None


_REQUEST = re.compile(rb"POST (\S+) HTTP/1").match
_FIRST_LINE = 2048  # bytes
_left = WeakKeyDictionary()  # sockets to hosts of no known provider: host and port
_names = {}  # address: the host name that most recently resolved to it
_is_allowed = _matcher(SAID["allowed"]) if "allowed" in SAID else lambda _: True
if SAID.get("counts") or "allowed" in SAID:
    sys.addaudithook(_audit)


def tell_mocked(by):
    _ask("mocked", by=by)


def _ask(what, waits=True, **said):
    """What the server answers; b"" where it does not. Never raises."""
    try:
        if own.trouble(greets=what == "hello") is not None:
            return b""
        from tapedeck_proof import connected
        from urllib.parse import urlencode

        connection = connected(*server(), _PATIENCE)
        try:
            query = urlencode(dict(said, pid=os.getpid(), command=_command()))
            lines = ["GET /%s/@guard/%s?%s HTTP/1.1" % (own.TOKEN, what, query), "host: %s:%s" % server()]
            test = None if what in ("hello", "mode") else own.header()
            lines += ["connection: close"] + (["%s: %s" % (own.HEADER, test)] if test else [])
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            answer = part = connection.recv(4096) if waits else b""
            while part:
                part = connection.recv(4096)
                answer += part
            return answer
        finally:
            connection.close()
    except Exception:
        return b""


def _command():
    """What runs here, without the folders that it lies in."""
    words = getattr(sys, "orig_argv", None) or [sys.executable or "python"] + sys.argv[:1]
    file = words[1] if len(words) > 1 else ""
    if file == "-m" and len(words) > 2:
        file = "-m " + words[2]
    elif os.path.isabs(file):
        file = os.path.relpath(file)
    return (os.path.basename(words[0]) + " " + file).strip()
