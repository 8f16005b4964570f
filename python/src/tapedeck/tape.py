"""`tape`: answers the calls of a block, a function, or a test class from recordings."""

from __future__ import annotations

import atexit
import functools
import inspect
import os
import sys
import threading
from types import TracebackType
from typing import Any, Callable, Literal, TypeVar

from .program import ProgramError, shell_words
from .server import MODES, Server, join, set_variables

_F = TypeVar("_F", bound=Callable[..., Any])
Mode = Literal["strict", "record", "refresh", "lenient", "live"]

_lock = threading.RLock()
_server: Server | None = None  # it serves all tapes of a mode and folder, until this process ends
_served: tuple[str, str | None] | None = None
_address: tuple[str, str] | None = None  # its port and token: the hooks keep those that they read first
_depth = 0
_before: dict[str, str | None] = {}


class Tape:
    """Answers the calls of a `with` block; see `tape`. Also a decorator for functions and `unittest.TestCase` classes."""

    def __init__(self, mode: Mode = "strict", folder: str | os.PathLike[str] | None = None) -> None:
        if mode not in MODES:
            raise ValueError(f'There is no mode "{mode}". The modes are {", ".join(MODES)}.')
        self.mode = mode
        self.folder = None if folder is None else os.path.abspath(folder)

    def __enter__(self) -> Tape:
        with _lock:
            _begin(self.mode, self.folder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            _end()

    def __call__(self, decorated: _F) -> _F:
        """Decorates a function, a coroutine function, or each test method of a class."""
        if inspect.isclass(decorated):
            for name, method in list(vars(decorated).items()):
                if name.startswith("test") and callable(method):
                    setattr(decorated, name, self(method))
            return decorated
        if inspect.iscoroutinefunction(decorated):

            @functools.wraps(decorated)
            async def run_async(*args: Any, **named: Any) -> Any:
                with Tape(self.mode, self.folder):
                    return await decorated(*args, **named)

            return run_async  # type: ignore[return-value]

        @functools.wraps(decorated)
        def run(*args: Any, **named: Any) -> Any:
            with Tape(self.mode, self.folder):
                return decorated(*args, **named)

        return run  # type: ignore[return-value]


def _begin(mode: str, folder: str | None) -> None:
    global _before, _depth
    if _server is None and os.environ.get("TAPEDECK_URL"):
        return  # a session of pytest or `tapedeck run` serves this process
    if _depth > 0 and _served != (mode, folder):
        raise ProgramError(
            f"A tape in {_served[0] if _served else 'another'} mode is active in this process, so one in {mode} mode "
            "cannot start. End the outer block first, or use the same mode and folder."
        )
    if _depth == 0:
        if _served != (mode, folder):
            _stop()
            _start(mode, folder)
        assert _server is not None
        _before = join(_server.env)
        _pause(False)
    _depth += 1


def _end() -> None:
    global _depth
    if _depth == 0:
        return
    _depth -= 1
    if _depth == 0:
        _pause(True)
        set_variables(_before)


def _start(mode: str, folder: str | None) -> None:
    global _address, _server, _served
    options = [] if folder is None else ["--dir", folder]
    if _address is not None:
        options += ["--port", _address[0], f"--token={_address[1]}"]  # a token may begin with a dash
    words = [*shell_words(os.path.basename(sys.executable or "python")), *sys.argv]
    _server = Server.start(mode, running=words, records='the same code with tapedeck.tape("record")', options=options)
    place, _, token = (_server.env["TAPEDECK_URL"] or "").partition("://")[2].partition("/")
    _address, _served = (place.rpartition(":")[2], token), (mode, folder)


def _stop() -> None:
    """Ends the server, and prints its report if it recorded or missed calls."""
    global _server, _served
    if _server is None or _server.pid != os.getpid():
        return
    report = _server.stop(0)
    _server = _served = None
    if report.exit_code != 0 or report.counts.get("recorded"):
        print(report.text, end="", file=sys.stderr)


atexit.register(_stop)


def _pause(is_paused: bool) -> None:
    """Outside of tapes, clients connect as if there were no hooks."""
    import tapedeck_guard  # type: ignore[import-not-found]

    tapedeck_guard.is_paused = is_paused


def tape(mode: Mode = "strict", folder: str | os.PathLike[str] | None = None) -> Tape:
    """Answers the LLM calls of a `with` block, a function, or a test class from recordings.

    `mode` is one of `tapedeck.MODES`: "strict" replays and lets nothing leave the machine, "record" also records what is
    missing. `folder` holds the recordings, `.tapedeck` in the working directory by default. Under pytest, or inside
    `tapedeck run`, the session's own server and mode apply. Raises ProgramError if the server cannot start.
    """
    return Tape(mode, folder)
