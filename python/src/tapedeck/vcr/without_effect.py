"""Names of vcrpy's internals that projects change in their conftest. They exist, and have no effect."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from .. import tally

#: Modules of vcrpy that have nothing but such names.
MODULES = frozenset(
    """migration stubs.boto3_stubs stubs.compat stubs.httpcore_stubs stubs.httplib2_stubs stubs.requests_stubs
    stubs.tornado_stubs stubs.urllib3_stubs""".split()
)


def find_name(module: str, name: str) -> Any:
    """Returns a class or a function that can be replaced, and reports that this has no effect."""
    if name.startswith("__"):
        raise AttributeError(name)
    why = "Tapedeck answers clients itself, and binary and compressed bodies need no patch"
    tally.note_without_effect(f"vcr.{module}.{name}", why)
    return type(name, (), {}) if name.lstrip("_")[:1].isupper() else _do_nothing


def _do_nothing(*_: Any, **__: Any) -> None:
    return None


def make_module(name: str, full_name: str) -> ModuleType:
    """Returns a module that has any name."""
    module: Any = ModuleType(full_name, __doc__)
    module.__getattr__ = functools.partial(find_name, name)
    return module  # type: ignore[no-any-return]
