"""Which connections belong to the replay server, and how one is handed to it; see javascript/guard.cjs.

PYTEST_DONT_REWRITE
"""

import functools
import json
import re
import sys
from weakref import WeakKeyDictionary

from tapedeck_hooks import ENVIRONMENT
from tapedeck_server import TOKEN, ask_guard, is_ours

_LONGEST_ANSWER = 65536
_FOR_TLS_PORT = 443
_reported = set()


def _read(text):
    try:
        settings = json.loads(text)
        return settings if settings.get("v") == 1 else {}
    except Exception:
        return {}  # of another version: clients that read a variable still work


def _matcher(names):
    """Returns a function that finds "HOST:PORT" among the names. "*" stands for a part of a name up to the next dot."""
    names = [name.lower() for name in names or ()]
    exact = {name for name in names if "*" not in name}
    patterns = [(name.rpartition("*")[2], name) for name in names if "*" in name]

    @functools.lru_cache(256)
    def is_listed(place):
        place = place.lower()
        spellings = place, place.rpartition(":")[0]
        return any(
            name in exact or any(name.endswith(end) and _fits(name, pattern) for end, pattern in patterns)
            for name in spellings
        )

    return is_listed


def _fits(name, pattern):
    return re.fullmatch("[a-z0-9-]+".join(map(re.escape, pattern.split("*"))), name) is not None


SETTINGS = _read(ENVIRONMENT.get("TAPEDECK_GUARD"))
_over_tls, _in_clear = _matcher(SETTINGS.get("hosts")), _matcher(SETTINGS.get("plain"))
is_paused = False  # between two tapes of a process, clients connect as if there were no hooks
_learned = {}  # hosts of no known provider at which models were asked, with their ports: "http" or "https"


def _name(host, port):
    host = (host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)).rstrip(".")
    return "%s:%s" % ("[%s]" % host if ":" in host and host[0] != "[" else host, port)


def is_provider(host, port=None):
    """Returns whether the host belongs to a known provider over TLS."""
    if is_paused or not host:
        return False
    name = _name(host, port or _FOR_TLS_PORT)
    return _over_tls(name) or _learned.get(name) == "https"


def looked_up(host, addresses):
    """Notes the name of an address, by which connections to it are reported. The name that was looked up last counts."""
    if host not in addresses:  # an address has no name
        _names.update((_text(address), _text(host)) for address in addresses)


def redirects(host, port):
    """Whether a connection to there goes to the replay server instead."""
    if not host or is_ours(host, port) or is_faked():
        return False
    name = _name(host, port or _FOR_TLS_PORT)
    return _over_tls(name) or _in_clear(name) or name in _learned


def is_faked():
    """Whether connections are left alone: tests replaced sockets by a mock that answers, or no tape is active."""
    if is_paused:
        return True
    socket = getattr(sys.modules.get("socket"), "socket", None)
    return socket is not None and getattr(socket, "__module__", "").split(".")[0] not in _SOCKETS


_SOCKETS = ("socket", "gevent", "eventlet")


# ---- the tunnel ----


def words_for(host, port):
    """What opens a redirected connection."""
    name = _name(host, port or _FOR_TLS_PORT)
    words = "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Bearer %s\r\n" % (name, name, TOKEN)
    if name in _learned:
        words += "Tapedeck-Scheme: %s\r\n" % _learned[name]
    return (words + "\r\n").encode()


def is_agreed(answer):
    """Whether the server accepts the connection; False if its answer is incomplete. Raises if it refuses."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if end and head.startswith(b"HTTP/1.1 200 "):
        return True
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    if not end or (length and len(body) < int(length.group(1))):
        if len(answer) < _LONGEST_ANSWER:
            return False
    raise ConnectionRefusedError(_refusal(body))


def closed(answer):
    """The error for a connection that the server ended instead of accepting it."""
    return ConnectionRefusedError(_refusal(answer.partition(b"\r\n\r\n")[2]))


def _refusal(body):
    try:
        error = json.loads(body)["error"]
        return error["message"] if isinstance(error, dict) else error
    except Exception:
        return "Tapedeck closed the connection."


# ---- connections that cannot be redirected, and hosts of no known provider ----

_MEND = "Have the client use http.client, urllib3, httpx or aiohttp, or set the provider's base-URL variable."


def pass_by(host, port, what, mend=_MEND):
    """
    Reports a connection that cannot be redirected. Raises ConnectionRefusedError in modes in which nothing may leave the
    machine.
    """
    from tapedeck_running import running

    is_open = may_leave()
    key = (_name(host, port or _FOR_TLS_PORT), id(running()))
    if key not in _reported:
        _reported.add(key)
        reason = "%s, which Tapedeck does not record" if is_open else "%s, which Tapedeck cannot answer: it was refused"
        report("passed", host=key[0], reason="%s. %s" % (reason % what, mend))
    if not is_open:
        text = "Tapedeck refused a connection to %s: %s, and nothing may be sent in this mode. %s"
        raise ConnectionRefusedError(text % (key[0].rpartition(":")[0], what, mend))


def report_pinned(host):
    key = (_name(host, _FOR_TLS_PORT), "pinned")
    if key not in _reported:
        _reported.add(key)
        reason = "its client pins the provider's certificate, which Tapedeck does not have: it may have ended the call. "
        report("passed", host=key[0], reason=reason + "Leave the pin out in tests, or set the base-URL variable")


def may_leave():
    return b'"leaves":true' in ask_guard("mode")


def report(what, **values):
    """Reports a connection, or what replaces connections, with the test that runs."""
    from tapedeck_header import test_header

    ask_guard(what, test_header(), **values)


def _is_model_request(method, path):
    calls = SETTINGS.get("calls")
    return bool(calls) and re.search(calls, method + " " + path, re.IGNORECASE) is not None


def is_call_elsewhere(method, scheme, host, port, path):
    """
    Whether a request is a call to a model at a host of no known provider. Connections to there lead to the server from
    then on, so that the caller has to close those that it opened before. See javascript/model-calls.cjs.
    """
    host, path, scheme = _text(host), _text(path), _text(scheme).replace("ws", "http")
    if not host or is_ours(host, port) or is_faked() or not _is_model_request(_text(method), path):
        return False
    name = _name(host, port or (80 if scheme == "http" else _FOR_TLS_PORT))
    if _over_tls(name) or _in_clear(name):
        return False
    if is_here(host):
        if name not in _reported:
            _reported.add(name)
            report("elsewhere", host=name)
        return False
    _learned[name] = scheme
    return True


def _text(value):
    return value.decode("latin1") if isinstance(value, bytes) else str(value or "")


def _is_loopback(address):
    return address.startswith("127.") or address in ("0.0.0.0", "::", "::1")


def is_here(host):
    """Whether a host is this machine, where tests start servers of their own."""
    return host == "localhost" or host.endswith(".localhost") or _is_loopback(host.strip("[]"))


def _audit(event, values):
    """Notes connections that leave the machine and ask no model; refuses them where the run blocks the network."""
    if event != "socket.connect":
        return
    sock, address = values
    if not isinstance(address, tuple) or sock.type & 0xF != 1 or is_ours(*address[:2]) or is_faked():
        return
    host, port = _names.get(_text(address[0])) or _text(address[0]), address[1]
    if is_here(_text(address[0])):
        return
    name = host if port in (80, 443) else "%s:%s" % (host, port)
    if not _is_allowed(_name(host, port)):
        report("blocked", host=name)
        text = "Tapedeck refused a connection to %s: this run blocks the network (--block-network). "
        raise ConnectionRefusedError(text % host + 'If tests need that host, add it to "allowHosts" in tapedeck.jsonc.')
    if SETTINGS.get("counts"):
        report("left", host=name)
        _left[sock] = host, port


def expect_no_call(sock, data):
    """Refuses a call to a model that a program writes by hand. Raises ConnectionRefusedError."""
    place = place_left(sock)
    try:
        found = place and re.match(rb"POST (\S+) HTTP/1", bytes(data[:_FIRST_LINE]))
    except Exception:
        return
    if found and _is_model_request("POST", _text(found.group(1))):
        pass_by(*place, "its client writes HTTP directly to a socket")


def place_left(sock):
    """Host and port of no known provider that a socket is connected to, or None."""
    try:
        return _left.get(sock)
    except TypeError:  # another object that reads and writes
        return None


_FIRST_LINE = 2048  # bytes
_left = WeakKeyDictionary()  # sockets to hosts of no known provider: host and port
_names = {}  # address: the host name that most recently resolved to it
_is_allowed = _matcher(SETTINGS["allowed"]) if "allowed" in SETTINGS else lambda _: True
if SETTINGS.get("counts") or "allowed" in SETTINGS:
    sys.addaudithook(_audit)
