"""Finds cassettes that no test asks for any more, and removes them with --tapedeck-prune."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from . import tally
from .program import ProgramError, command
from .recording import cassette_name

_ENDINGS = (".yaml", ".yml", ".json", ".yaml.gz")
_SKIPPED = ("node_modules", "site-packages", "__pycache__")
_MOST_FOLDERS = 2000
_MOST_SHOWN = 10


def has_cassettes(folders: list[Path]) -> bool:
    """Whether there is a cassette in a folder `cassettes` below one of these."""
    seen = 0
    for start in folders:
        for folder, names, files in os.walk(start):
            seen += 1
            if seen > _MOST_FOLDERS:
                return False
            if "pyvenv.cfg" in files:
                names[:] = files = []
            names[:] = [name for name in names if name[0] != "." and name not in _SKIPPED]
            is_inside = "cassettes" in Path(folder).relative_to(start).parts or start.name == "cassettes"
            if is_inside and any(name.endswith(_ENDINGS) for name in files):
                return True
    return False


class Unused:
    """Knows which cassettes the collected tests have by their names."""

    def __init__(self) -> None:
        self.names: defaultdict[str, set[str]] = defaultdict(set)
        self.is_whole = True

    def pytest_deselected(self, items: list[Any]) -> None:
        self.is_whole = self.is_whole and not items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if any("::" in str(arg) for arg in session.config.args):
            self.is_whole = False
        for item in session.items:
            if item.get_closest_marker("vcr") is None:
                continue
            marker = item.get_closest_marker("default_cassette")
            own = marker.args[0] if marker and marker.args else cassette_name(getattr(item, "cls", None), item.name)
            folder = item.path.parent / "cassettes" / item.path.stem
            self.names[str(folder)].add(str(own))

    def collected(self) -> dict[str, Any]:
        """Returns what is known in plain values, for another process."""
        return {"names": {folder: sorted(names) for folder, names in self.names.items()}, "is_whole": self.is_whole}

    def add(self, known: dict[str, Any]) -> None:
        self.is_whole = self.is_whole and known["is_whole"]
        for folder, names in known["names"].items():
            self.names[folder].update(names)

    def find(self) -> list[Path]:
        """Returns the cassettes that no test opened or is named after; [] if not all tests of a module ran."""
        if not self.is_whole:
            return []
        found = []
        for folder, names in sorted(self.names.items()):
            for path in sorted(Path(folder).glob("*")):
                stem = next((path.name[: -len(end)] for end in _ENDINGS if path.name.endswith(end)), None)
                if stem is not None and stem not in names and str(path) not in tally.opened and "..." not in stem:
                    found.append(path)
        return found


def unused_lines(found: list[Path], root: Path, prunes: bool) -> list[str]:
    """Removes unused cassettes if that is asked for, and returns the lines that name them."""
    if not found:
        return []
    if prunes:
        for path in found:
            path.unlink(missing_ok=True)
    shown = [f"    {os.path.relpath(path, root)}" for path in found[:_MOST_SHOWN]]
    more = len(found) - _MOST_SHOWN
    if more > 0:
        shown.append(f"    and {more} more")
    count = "1 cassette is" if len(found) == 1 else f"{len(found)} cassettes are"
    what = "were removed, as no test uses them" if prunes else "used by no test (remove with --tapedeck-prune)"
    return [f"{count.rsplit(' ', 1)[0]} {what}:" if prunes else f"{count} {what}:", *shown]


def prune_recordings(folder: Path) -> str:
    """Removes the recordings that no run uses any more, and returns what was removed."""
    if not (folder / "calls").is_dir():
        return ""
    try:
        done = subprocess.run(command("prune", "--dir", str(folder)), capture_output=True, text=True)
    except (OSError, ProgramError) as error:
        return f"{error}\n"
    return done.stdout + done.stderr
