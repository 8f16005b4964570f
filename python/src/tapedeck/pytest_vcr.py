"""The fixtures of pytest-vcr, whose `vcr` is a VCR for a module and no cassette.

They take the place of those of pytest-recording once a fixture with a wider scope than a test's asks for `vcr`.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from .recording import use_cassette
from .vcr import VCR
from .vcr.cassette import Cassette

_NAME = "tapedeck_pytest_vcr"


class Watcher:
    """Looks at the fixtures of each conftest."""

    def __init__(self, pluginmanager: pytest.PytestPluginManager) -> None:
        self._plugins = pluginmanager

    def pytest_plugin_registered(self, plugin: Any) -> None:
        if Path(getattr(plugin, "__file__", None) or "").name != "conftest.py" or self._plugins.has_plugin(_NAME):
            return
        if any(_is_wide_and_asks_for_vcr(value) for value in vars(plugin).values()):
            self._plugins.register(sys.modules[__name__], _NAME)


def _is_wide_and_asks_for_vcr(value: Any) -> bool:
    names = "_fixture_function_marker", "_pytestfixturefunction"  # the second before pytest 8.4
    scopes = [getattr(getattr(value, name, None), "scope", None) for name in names]
    if not any(isinstance(scope, str) and scope != "function" for scope in scopes):
        return False
    try:
        return "vcr" in inspect.signature(getattr(value, "_fixture_function", value)).parameters
    except (TypeError, ValueError):
        return False


@pytest.fixture(scope="module")
def vcr_config() -> dict[str, Any]:
    return {}


@pytest.fixture(scope="module")
def vcr_cassette_dir(request: pytest.FixtureRequest) -> str:
    return str(Path(request.node.path).parent / "cassettes")


@pytest.fixture(scope="module")
def vcr(vcr_config: dict[str, Any], vcr_cassette_dir: str, record_mode: str) -> VCR:
    """The options that the cassettes of a module have in common. It opens none."""
    options = {**vcr_config, "record_mode": record_mode}
    options.setdefault("path_transformer", VCR.ensure_suffix(".yaml"))
    return VCR(**{"cassette_library_dir": os.fspath(vcr_cassette_dir), **options})


@pytest.fixture
def vcr_cassette(request: pytest.FixtureRequest, vcr: VCR) -> Generator[Cassette | None, None, None]:
    """The cassette of a test."""
    with use_cassette(request, vcr) as cassette:
        yield cassette


@pytest.fixture(autouse=True)
def _vcr_marker(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("vcr") is not None:
        request.getfixturevalue("vcr_cassette")
