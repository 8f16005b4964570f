"""What modules of the package import."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from importlib import util
from pathlib import Path

import pytest
import tapedeck

ROOT = Path(tapedeck.__file__).parent


def _name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


def _imports_of(file: Path) -> set[str]:
    """Returns the modules of the package that a file imports, those in functions as well."""
    package = _name_of(file) if file.name == "__init__.py" else _name_of(file).rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            module = util.resolve_name("." * node.level + (node.module or ""), package)
            found |= {f"{module}.{one.name}" for one in node.names} | {module}
    return found


def test_no_module_imports_itself_in_a_circle() -> None:
    files = {_name_of(file): file for file in ROOT.rglob("*.py") if "program" not in file.relative_to(ROOT).parts}
    graph = {name: (_imports_of(file) & files.keys()) - {name} for name, file in files.items()}
    # `from . import name` names the package as well, which does not need it for that.
    graph = {name: {one for one in imported if not name.startswith(f"{one}.")} for name, imported in graph.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))
