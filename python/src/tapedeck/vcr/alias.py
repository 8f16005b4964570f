"""Lets tests import this package under vcrpy's name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .without_effect import MODULES, make_module

_NAME = "vcr"
_OURS = __name__.rpartition(".")[0]


class _Alias:
    """Finds `vcr` and the modules below it, unless another finder does."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package != _NAME or (rest and sys.modules.get(_NAME) is not sys.modules.get(_OURS)):
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        if not rest and any(finder.find_spec(name, None) for finder in others):  # vcrpy is installed
            return None
        ours = f"{_OURS}.{rest}" if rest else _OURS
        try:
            module = make_module(rest, name) if rest in MODULES else importlib.import_module(ours)
        except ModuleNotFoundError as error:
            if error.name != ours:
                raise
            return None
        return ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


class _Loader(Loader):
    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system put that of the alias in its place


def register() -> None:
    """Makes `import vcr` give this package, unless vcrpy is installed."""
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())
