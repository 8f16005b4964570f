"""The fixtures of pytest-recording. Projects override some of them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from .network import blocked_network
from .recording import MODES, cassette_name, mode_of, use_cassette
from .vcr.cassette import Cassette


@pytest.fixture(scope="session")
def record_mode(request: pytest.FixtureRequest) -> str:
    """The mode by --record-mode, otherwise the one that the session's mode stands for."""
    return str(request.config.getoption("--record-mode") or MODES.get(mode_of(request.config), "none"))


@pytest.fixture(scope="session")
def disable_recording(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--disable-recording"))


@pytest.fixture
def vcr_config() -> dict[str, Any]:
    """Options for the cassettes of all tests that see this fixture. Override it."""
    return {}


@pytest.fixture(scope="module")
def vcr_cassette_dir(request: pytest.FixtureRequest) -> str:
    """The folder of the module's cassettes. Override it."""
    path = Path(request.node.path)
    return str(path.parent / "cassettes" / path.stem)


@pytest.fixture
def default_cassette_name(request: pytest.FixtureRequest) -> str:
    """The name of the test's cassette, without its ending. Override it."""
    marker = request.node.get_closest_marker("default_cassette")
    return str(marker.args[0]) if marker and marker.args else cassette_name(request.cls, request.node.name)


@pytest.fixture
def vcr_cassette_name(default_cassette_name: str) -> str:
    """The same, under the name that pytest-vcr gives it."""
    return default_cassette_name


@pytest.fixture
def vcr_markers(request: pytest.FixtureRequest) -> list[pytest.Mark]:
    return list(request.node.iter_markers("vcr"))


@pytest.fixture
def allowed_hosts(request: pytest.FixtureRequest) -> list[str]:
    """Regular expressions of hosts that the test may reach although its network is blocked."""
    block, own = request.node.get_closest_marker("block_network"), request.node.get_closest_marker("allowed_hosts")
    hosts = (
        (block and block.kwargs.get("allowed_hosts"))
        or (own and own.args and own.args[0])
        or request.config.getoption("--allowed-hosts")
        or request.getfixturevalue("vcr_config").get("allowed_hosts")
        or []
    )
    return hosts.split(",") if isinstance(hosts, str) else list(hosts)


@pytest.fixture(autouse=True)
def block_network(request: pytest.FixtureRequest, record_mode: str) -> Generator[None, None, None]:
    """Refuses the connections of a test, unless its cassette records."""
    is_blocked = request.config.getoption("--block-network") or request.node.get_closest_marker("block_network")
    if not is_blocked or (record_mode != "none" and request.node.get_closest_marker("vcr")):
        yield
        return
    with blocked_network(request.getfixturevalue("allowed_hosts")):
        yield


@pytest.fixture
def vcr_cassette(vcr: Cassette | None) -> Cassette | None:
    """The same as `vcr`, under the name that pytest-vcr gives it."""
    return vcr


@pytest.fixture(autouse=True)
def vcr(request: pytest.FixtureRequest, disable_recording: bool) -> Generator[Cassette | None, None, None]:
    """The cassette of a test with the mark `vcr`, otherwise None."""
    if disable_recording or request.node.get_closest_marker("vcr") is None:
        yield None
        return
    with use_cassette(request) as cassette:
        yield cassette
