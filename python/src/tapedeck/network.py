"""Refuses connections and name lookups of a test whose network is blocked, and of the programs that it starts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Sequence
from typing import Any

from .program import HOOKS
from .server import add_hooks_to_path


def watch_clients() -> None:
    """Changes clients that connect below Python, before test modules import their names."""
    _hooks()


@contextlib.contextmanager
def blocked_network(allowed_hosts: Sequence[str]) -> Generator[None, None, None]:
    """Refuses connections but to hosts that match one of the regular expressions, and to Tapedeck's server."""
    network = _hooks()
    network.begin(list(allowed_hosts))
    try:
        yield
    finally:
        network.end()


def _hooks() -> Any:
    add_hooks_to_path()
    if str(HOOKS) not in sys.path:
        sys.path.append(str(HOOKS))  # another version of Tapedeck, whose hooks are loaded, may lack the module
    import tapedeck_hooks  # type: ignore[import-not-found]
    import tapedeck_network  # type: ignore[import-not-found]

    tapedeck_hooks.hook_blocking()
    return tapedeck_network
