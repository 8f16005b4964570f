"""The replay server of this process: starts it, joins it, and reads its report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .program import HOOKS, ProgramError, command, environment

#: How calls are answered; see docs/python.md.
MODES = ("strict", "record", "refresh", "lenient", "live")

_ENDS_WITHIN = 60  # seconds: uploads to a team cache and recordings may still be written


@dataclass
class Report:
    """What became of the calls of a run."""

    text: str = ""
    """The report for people: counts, what is missing and why, and the command that records it."""
    data: dict[str, Any] = field(default_factory=dict)
    """The report for programs, as `tapedeck run --json` prints it."""

    @property
    def exit_code(self) -> int:
        return int(self.data.get("exit", 1))

    @property
    def counts(self) -> dict[str, int]:
        return dict(self.data.get("counts", {}))

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to report: no call, and nothing that fails the run."""
        quiet = not self.data.get("requests") and not self.data.get("findings")
        return quiet and self.exit_code == int(self.data.get("command", 1))


class Server:
    """A replay server that answers this process, and all that it starts, until `stop` is called."""

    def __init__(self, process: subprocess.Popen[str], notes: Any, env: Mapping[str, str | None]) -> None:
        self._process = process
        self._notes = notes
        self.pid = os.getpid()
        self.env = dict(env)

    @classmethod
    def start(
        cls,
        mode: str,
        *,
        running: Sequence[str],
        records: str,
        options: Sequence[str] = (),
        colored: bool = False,
    ) -> Server:
        """Starts a server and waits until it answers. Raises ProgramError with the reason if it does not.

        `running` is the command line of this process, and `records` the command that records its missing calls.
        """
        words = command("run", "--mode", mode, "--json", "--attach", records, *options, "--", *running)
        # A file, because a pipe that nobody reads would block the server.
        notes = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        env = dict(environment(), FORCE_COLOR="1" if colored else "0")
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=notes,
                env=env,
                encoding="utf-8",
                # Ctrl+C ends the tests; the server ends after them.
                start_new_session=os.name != "nt",
            )
        except OSError as error:
            raise ProgramError(f"Tapedeck could not be started with {words[0]}: {error}") from error
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("{"):
            process.kill()
            process.wait()
            notes.seek(0)
            why = (line + notes.read()).strip() or f"{words[0]} ended with {process.returncode}"
            raise ProgramError(f"Tapedeck did not start. {why}")
        changed = json.loads(line)["env"]
        changed.pop("FORCE_COLOR", None)
        return cls(process, notes, changed)

    def stop(self, code: int) -> Report:
        """Ends the server after tests that ended with `code`, and returns its report."""
        try:
            output, _ = self._process.communicate(f"{code}\n", timeout=_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            output, _ = self._process.communicate()
        if "tapedeck_server" in sys.modules:  # exporters of traces may call until this process ends
            sys.modules["tapedeck_server"].expect_end()
        self._notes.seek(0)
        text = self._notes.read()
        self._notes.close()
        lines = [line for line in output.splitlines() if line.startswith('{"event":"report"')]
        if not lines:
            why = f"Tapedeck's server ended before its report (exit code {self._process.returncode})."
            return Report(f"{text}{why}\n", {"exit": code or 1, "command": code})
        return Report(text, json.loads(lines[-1]))


def join(env: Mapping[str, str | None]) -> dict[str, str | None]:
    """Sets the variables that a server gave and loads the hooks. Returns what the variables were before."""
    before = {name: os.environ.get(name) for name in env}
    set_variables(env)
    load_hooks()
    return before


def set_variables(env: Mapping[str, str | None]) -> None:
    """Sets variables of this process; those that are None are removed."""
    for name, value in env.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def load_hooks() -> bool:
    """Loads the hooks, which change clients as they are imported. Returns whether they are loaded."""
    if not os.environ.get("TAPEDECK_URL"):
        return False
    add_hooks_to_path()
    import tapedeck_hooks  # type: ignore[import-not-found]

    if not has_hooks():
        tapedeck_hooks.hook_all()  # the module was imported before, to block the network
    return True


def has_hooks() -> bool:
    """Whether the hooks change what this process imports."""
    return hasattr(sys, "_tapedeck") and "tapedeck_hooks" in sys.modules


def joined_mode() -> str | None:
    """Returns the mode of the server that this process has joined; None if it does not answer."""
    import tapedeck_server  # type: ignore[import-not-found]

    found = re.search(rb'"mode":"(\w+)"', tapedeck_server.ask_guard("mode"))
    mode = found and found.group(1).decode()
    return mode if mode in MODES else None


def add_hooks_to_path() -> None:
    """Lets this process import the hooks: those that it has loaded, otherwise those of the wheel."""
    if "tapedeck_hooks" not in sys.modules or str(HOOKS) not in sys.path:
        # A worker of pytest-xdist has the hooks, and then gets a path that another process noted before it had them.
        sys.path.insert(
            0, os.path.dirname(getattr(sys.modules.get("tapedeck_hooks"), "__file__", "") or "") or str(HOOKS)
        )
