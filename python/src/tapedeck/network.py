"""Refuses connections and name lookups of a test whose network is blocked."""

from __future__ import annotations

import contextlib
import re
import socket
import sys
from collections.abc import Generator, Sequence
from typing import Any

_blocked: list[Sequence[str]] = []
_is_watching = False
_LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_SENDS = ("socket.connect", "socket.sendto", "socket.sendmsg")


@contextlib.contextmanager
def blocked_network(allowed_hosts: Sequence[str]) -> Generator[None, None, None]:
    """Refuses connections but to hosts that match one of the regular expressions, and to Tapedeck's server."""
    global _is_watching
    if not _is_watching:
        _is_watching = True
        sys.addaudithook(_audit)
    addresses: set[str] = set()
    for host in allowed_hosts:
        if re.fullmatch(r"[\w.-]+", host):
            with contextlib.suppress(OSError):
                addresses.update(str(found[4][0]) for found in socket.getaddrinfo(host, None))
    _blocked.append([*allowed_hosts, *map(re.escape, addresses)])
    try:
        yield
    finally:
        _blocked.pop()


def _audit(event: str, values: tuple[Any, ...]) -> None:
    if not _blocked or (event not in _SENDS and event not in _LOOKUPS):
        return
    host, port = _place(event, values)
    if host is None or _is_server(host, port) or any(re.match(one, host) for one in _blocked[-1]):
        return
    raise RuntimeError(f"Network is disabled: this test may not reach {host}. Allow it with --allowed-hosts={host}.")


def _place(event: str, values: tuple[Any, ...]) -> tuple[str | None, Any]:
    if event in _LOOKUPS:
        host, port = values[0], values[1] if len(values) > 1 else None
        return (host.decode() if isinstance(host, bytes) else host), port
    address = values[1] if len(values) > 1 else None
    if not isinstance(address, tuple):  # a socket of this machine's file system, or one that is connected
        return None, None
    return str(address[0]), address[1]


def _is_server(host: str, port: Any) -> bool:
    server = sys.modules.get("tapedeck_server")
    return server is not None and bool(server.is_ours(host, port))
