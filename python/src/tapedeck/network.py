"""Refuses connections and name lookups of a test whose network is blocked, and of the programs that it starts."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
from collections.abc import Generator, Sequence
from typing import Any

from .program import HOOKS
from .server import add_hooks_to_path


def watch_clients() -> None:
    """Changes pycurl, which connects below Python, before test modules import its names."""
    if importlib.util.find_spec("pycurl") is not None:
        import pycurl  # type: ignore[import-not-found]

        _hooks().hook_pycurl(pycurl)


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
    import tapedeck_network  # type: ignore[import-not-found]

    if "tapedeck_children" not in sys.modules:
        import tapedeck_children  # type: ignore[import-not-found]
        import tapedeck_hooks  # type: ignore[import-not-found]

        tapedeck_children.hook_subprocess(subprocess)
        tapedeck_hooks.hook_starting()
    return tapedeck_network
