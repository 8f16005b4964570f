"""Refuses connections and name lookups while a test's network is blocked, also in the programs that the test starts.

  TAPEDECK_BLOCKED  regular expressions of the hosts that may be reached, as a JSON list; unset: all

PYTEST_DONT_REWRITE
"""

import json
import os
import re
import sys

VARIABLE = "TAPEDECK_BLOCKED"
_LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
_SENDS = ("socket.connect", "socket.sendto", "socket.sendmsg")
_blocked = []  # the hosts that may be reached, of each block that has begun
_before = []  # the variables of this process before each block
_is_watching = False


def begin(allowed_hosts):
    """Refuses connections to hosts that match none of the regular expressions. Tapedeck's server stays reachable."""
    _begin([*allowed_hosts, *map(re.escape, sorted(_addresses_of(allowed_hosts)))])
    _before.append({name: os.environ.get(name) for name in variables(os.environ)})
    os.environ.update(variables(os.environ))


def begin_as_parent(environment):
    """Blocks the network of a program as that of the test that started it."""
    from tapedeck_hooks import hook_blocking

    _begin(json.loads(environment[VARIABLE]))
    hook_blocking()


def _begin(allowed_hosts):
    global _is_watching
    if not _is_watching:
        _is_watching = True
        sys.addaudithook(_audit)
    _blocked.append(allowed_hosts)


def end():
    _blocked.pop()
    for name, value in _before.pop().items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def check(host, port=None):
    """Raises RuntimeError if the network is blocked for a host."""
    if not _blocked or host is None or _is_server(host, port) or any(re.match(one, host) for one in _blocked[-1]):
        return
    raise RuntimeError("Network is disabled for host %r. Allow it with --allowed-hosts=%s." % (host, host))


def variables(environment):
    """Returns the variables that block the network in programs that this process starts; {} if it is not blocked."""
    if not _blocked:
        return {}
    here = os.path.dirname(os.path.realpath(__file__))
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    if not any(os.path.realpath(path) == here for path in paths):
        paths.insert(0, here)
    added = {VARIABLE: json.dumps(_blocked[-1]), "PYTHONPATH": os.pathsep.join(paths)}
    guard = environment.get("TAPEDECK_GUARD", "")
    if guard.startswith("{"):  # the hooks of Node know names and no regular expressions
        names = [host.replace("\\", "") for host in _blocked[-1]]
        added["TAPEDECK_GUARD"] = json.dumps({**json.loads(guard), "allowed": names or ["invalid."]})
    return added


def _addresses_of(hosts):
    """Clients connect to addresses, so those of the names that may be reached are allowed as well."""
    import socket

    found = set()
    for host in hosts:
        if re.fullmatch(r"[\w.-]+", host):
            try:
                found.update(str(one[4][0]) for one in socket.getaddrinfo(host, None))
            except (OSError, UnicodeError):
                pass
    return found


def _audit(event, values):
    if not _blocked or (event not in _SENDS and event not in _LOOKUPS):
        return
    if event in _LOOKUPS:
        host, port = (*(values[0] if isinstance(values[0], tuple) else values), None)[:2]
        check(host.decode("latin-1") if isinstance(host, bytes) else host, port)
        return
    address = values[1] if len(values) > 1 else None
    if isinstance(address, tuple) and not _is_pair():  # others are sockets of the file system, or connected
        check(str(address[0]), address[1])


def _is_pair():
    """Whether this is `socket.socketpair` of Windows, which connects to itself. Each event loop of asyncio needs one."""
    return os.name == "nt" and sys._getframe(2).f_code.co_name in ("socketpair", "_fallback_socketpair")


def _is_server(host, port):
    server = sys.modules.get("tapedeck_server")
    return server is not None and bool(server.is_ours(host, port))
