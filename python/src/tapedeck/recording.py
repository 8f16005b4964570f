"""What pytest-recording offers: the mark `vcr` and its options, over cassettes that are read in place; see fixtures.py.

If pytest-recording itself is installed, it keeps all of that.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.util
import os
from typing import Any

import pytest

from . import tally
from .network import watch_clients
from .vcr import VCR, RecordMode
from .vcr.persisters.filesystem import CassetteNotFoundError, FilesystemPersister

RECORD_MODES = ("once", "new_episodes", "none", "all", "rewrite")
#: What the modes of a session are for its cassettes.
MODES = {"record": "new_episodes", "refresh": "all"}
_LONGEST_NAME = 255  # bytes of a file name


def other_plugin(pluginmanager: pytest.PytestPluginManager) -> str | None:
    """Returns the name of an installed plugin that handles the mark `vcr` itself."""
    for module, plugin, name in (
        ("pytest_recording", "recording", "pytest-recording"),
        ("pytest_vcr", "vcr", "pytest-vcr"),
    ):
        if not pluginmanager.is_blocked(plugin) and importlib.util.find_spec(module) is not None:
            return name
    return None


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("recording", "cassettes, as pytest-recording has them")
    group.addoption(
        "--record-mode",
        "--vcr-record",
        "--vcr-record-mode",
        dest="record_mode",
        choices=RECORD_MODES,
        default=None,
        help='When cassettes take new requests: the same as --tapedeck=record with tapedeck_format = "vcr".',
    )
    group.addoption("--block-network", action="store_true", help="Refuse connections, except while recording.")
    group.addoption(
        "--allowed-hosts", default=None, help="Regular expressions of hosts that may be reached, with commas."
    )
    group.addoption("--disable-recording", "--disable-vcr", action="store_true", help="Leave cassettes alone.")


class Hooks:
    """The hook of pytest-recording."""

    def pytest_recording_configure(self, config: pytest.Config, vcr: VCR) -> None:
        """Registers serializers, matchers, and persisters on the VCR of a test."""


_MODE = pytest.StashKey[str]()
_MARKERS = (
    "vcr(*paths, **options): answer the requests of the test from a cassette.",
    "block_network(allowed_hosts): refuse the connections of the test.",
    "default_cassette(name): the name of the test's cassette.",
    "allowed_hosts(hosts): regular expressions of hosts that the test may reach.",
)


def configure(config: pytest.Config, mode: str, takes_calls: bool, record_command: str) -> None:
    """Has the fixtures open cassettes in the mode of the session."""
    config.stash[_MODE] = mode
    # A mode in the code of tests never sends anything: only the command line decides that.
    VCR.session = mode in MODES, takes_calls or mode == "refresh"
    VCR.record_command = record_command
    if config.getoption("--block-network"):
        watch_clients()
    for line in _MARKERS:
        config.addinivalue_line("markers", line)


def mode_of(config: pytest.Config) -> str:
    return config.stash[_MODE]


def use_cassette(request: pytest.FixtureRequest, vcr: VCR | None = None) -> Any:
    """Returns a context manager for the cassette that a test's fixtures name; it gives None if the session opens none.

    `vcr` has what a module registered for its cassettes.
    """
    config, fixture = request.config, request.getfixturevalue
    if config.getoption("--disable-recording") or mode_of(config) in ("live", "off"):
        return contextlib.nullcontext()
    markers, folder, record_mode = fixture("vcr_markers"), os.fspath(fixture("vcr_cassette_dir")), fixture("record_mode")
    merged = copy.deepcopy(fixture("vcr_config"))
    for marker in reversed(markers):
        merged.update(marker.kwargs)
    merged.pop("allowed_hosts", None)
    ending = f".{merged.get('serializer', 'yaml')}"
    path = _path_of(folder, fixture("vcr_cassette_name"), ending)
    if record_mode == "rewrite":
        merged["drop_unused_requests"] = True
    merged["record_mode"] = RecordMode.ALL if record_mode == "rewrite" else RecordMode(record_mode)
    merged.setdefault("path_transformer", VCR.ensure_suffix(ending) if not path.endswith(".gz") else None)
    named = [os.path.join(folder, extra) for marker in markers for extra in marker.args]
    if vcr is None:
        vcr = VCR(cassette_library_dir=folder)
        vcr.register_persister(_Several(named))
    config.hook.pytest_recording_configure(config=config, vcr=vcr)
    tally.opened.update(map(os.path.abspath, [path, *named]))
    return vcr.use_cassette(path, **merged)


class _Several(FilesystemPersister):
    """Reads the test's own cassette and those that its marks name; writes its own."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def load_cassette(self, cassette_path: Any, serializer: Any) -> tuple[Any, ...]:  # type: ignore[override]
        requests: list[Any] = []
        responses: list[Any] = []
        metadata: dict[str, Any] = {}
        for path in dict.fromkeys([os.fspath(cassette_path), *self.paths]):
            try:
                more_requests, more_responses, *more = FilesystemPersister.load_cassette(path, serializer)
            except CassetteNotFoundError:
                continue
            requests += more_requests
            responses += more_responses
            metadata = {**(more[0] if more else {}), **metadata}
        if not requests and not metadata:
            raise CassetteNotFoundError(f"There is no cassette {os.fspath(cassette_path)}.")
        return requests, responses, metadata


def cassette_name(cls: type | None, name: str) -> str:
    """Returns the default name of a test's cassette; characters that file names cannot have become dashes."""
    full = f"{cls.__name__}.{name}" if cls else name
    return "".join("-" if letter in r"<>?%*:|\"'/" + "\\" else letter for letter in full)


def _path_of(folder: str, name: str, ending: str) -> str:
    """Returns where a cassette is: packed, in the folder above as pytest-vcr has it, or as pytest-recording has it."""
    if len(name) + len(ending) > _LONGEST_NAME:
        digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
        name = f"{name[: _LONGEST_NAME - len(ending) - len(digest) - 3]}...{digest}"
    path = os.path.join(folder, name)
    path = path if path.endswith(ending) else path + ending
    if not os.path.exists(path):
        above = os.path.join(os.path.dirname(folder), os.path.basename(path))
        for other in (f"{path}.gz", above):
            if os.path.isfile(other):
                return other
    return path
