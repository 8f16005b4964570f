"""The pytest plugin `tapedeck`: serves the session, reports what became of its calls, and decides whether it fails."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from . import fixtures, pytest_vcr, recording, tally
from .program import ProgramError, shell_words
from .server import MODES, Report, Server, has_hooks, join, joined_mode, load_hooks
from .unused import Unused, has_cassettes, prune_recordings, unused_lines
from .vcr import alias

OFF = "off"
_INFORMATION = ("help", "version", "collectonly", "showfixtures", "show_fixtures_per_test", "markers", "setupplan")
_MISSED = 3  # the exit code of a strict session whose tests passed although calls were missing or bypassed Tapedeck


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    group = parser.getgroup("tapedeck", "recording and replaying LLM calls")
    group.addoption(
        "--tapedeck",
        choices=(*MODES, OFF),
        default=None,
        help="How LLM calls are answered (default: strict if there are recordings, otherwise off).",
    )
    group.addoption("--tapedeck-prune", action="store_true", help="Remove recordings and cassettes that no test uses.")
    if recording.other_plugin(pluginmanager) is None:
        recording.add_options(parser)
    parser.addini("tapedeck", f"How LLM calls are answered: {', '.join(MODES)}, or {OFF}.", default="")
    parser.addini(
        "tapedeck_format", 'Where new requests of cassettes are recorded: "tapedeck", or "vcr".', default="tapedeck"
    )
    parser.addini("tapedeck_options", "More options of `tapedeck run`, such as --max-cost 1.", type="args", default=[])
    parser.addini(
        "tapedeck_dir", "The folder of the recordings, relative to the root (default: .tapedeck).", default=""
    )


class Session:
    """A test session that a server answers."""

    def __init__(self, server: Server | None, mode: str) -> None:
        self.server = server
        self.mode = mode
        self.report: Report | None = None

    def finish(self, session: pytest.Session) -> None:
        """Ends the server and adds its report to the session's."""
        if self.server is None:
            return
        server, self.server = self.server, None
        self.report = server.stop(int(session.exitstatus))
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = self.report.exit_code
        _add_properties(session.config, self.mode, self.report)


_SESSION = pytest.StashKey[Session]()
_UNUSED = pytest.StashKey[Unused]()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    if recording.other_plugin(pluginmanager) is None:
        pluginmanager.add_hookspecs(recording.Hooks)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Starts the server before a conftest or a test module imports a client."""
    options = early_config.known_args_namespace
    if recording.other_plugin(early_config.pluginmanager) is None:
        alias.register()  # a conftest may import vcr
        tally.is_shown = True
    if any(getattr(options, name, False) for name in _INFORMATION):
        return
    if os.environ.get("TAPEDECK_URL"):  # a worker of pytest-xdist, `tapedeck run`, or a terminal of VS Code
        load_hooks()
        return
    mode = _mode_of(early_config)
    if mode == OFF:
        return
    colored = getattr(options, "color", "auto") == "yes" or (sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    words = [str(word) for word in early_config.invocation_params.args]
    try:
        server = Server.start(
            mode,
            running=[*_command(), *words],
            records=_record_command(words),
            options=["--dir", str(_folder_of(early_config)), *early_config.getini("tapedeck_options")],
            colored=colored,
        )
    except ProgramError as error:
        raise pytest.UsageError(f"{error}\nTo run the tests without Tapedeck: pytest -p no:tapedeck") from None
    early_config.stash[_SESSION] = Session(server, mode)
    join(server.env)
    _make_room_for_mocks(_has_cassettes(early_config))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if recording.other_plugin(config.pluginmanager) is None:
        mode, format = _mode_of(config, default="strict"), config.getini("tapedeck_format")
        if format not in ("tapedeck", "vcr"):
            raise pytest.UsageError(
                f'tapedeck_format is "{format}" in {config.inipath}. It takes "tapedeck" and "vcr".'
            )
        words = [str(word) for word in config.invocation_params.args]
        recording.configure(config, mode, format == "vcr", _record_command(words))
        config.pluginmanager.register(fixtures, "tapedeck_fixtures")
        config.pluginmanager.register(pytest_vcr.Watcher(config.pluginmanager))
        config.stash[_UNUSED] = Unused()
        config.pluginmanager.register(config.stash[_UNUSED], "tapedeck_unused")
    if has_hooks() and not config.pluginmanager.has_plugin("tapedeck_pytest"):
        config.pluginmanager.import_plugin("tapedeck_pytest")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, Any, Any]:
    """Ends the server first, so that the reports of other plugins can hold what it counted."""
    config = session.config
    ours, unused = config.stash.get(_SESSION, None), config.stash.get(_UNUSED, None)
    if has_hooks():
        _upload_traces()
    if ours is not None:
        ours.finish(session)
    output = getattr(config, "workeroutput", None)
    if output is not None:  # a worker of pytest-xdist
        output["tapedeck"] = {"tally": tally.take(), "unused": unused and unused.collected()}
    return (yield)


def _upload_traces() -> None:
    """Has OpenAI's agents upload their traces now: at the end of the process, the server that takes them has ended."""
    try:
        sys.modules["agents"].flush_traces()
    except Exception:
        pass  # no agents, an older version, or a module of the user with this name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Sends the counts of each test, because a worker of pytest-xdist may be killed before the session ends."""
    report = yield
    if call.when == "teardown" and hasattr(item.config, "workeroutput"):
        report.tapedeck = tally.take()
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    counts = getattr(report, "tapedeck", None)
    if counts is not None and hasattr(report, "node"):  # it came from a worker
        tally.add(counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what a worker of pytest-xdist counted after its last test; a killed one reports none of that."""
    counted = getattr(node, "workeroutput", {}).get("tapedeck")
    if counted:
        tally.add(counted["tally"])
        unused = node.config.stash.get(_UNUSED, None)
        if unused is not None and counted["unused"]:
            unused.add(counted["unused"])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the server of a session that broke off before its first test."""
    ours = config.stash.get(_SESSION, None)
    if ours is not None and ours.server is not None:
        ours.server.stop(int(pytest.ExitCode.INTERNAL_ERROR))
        ours.server = None


def pytest_report_header(config: pytest.Config) -> str | None:
    ours = config.stash.get(_SESSION, None)
    if ours is None:
        return None
    other = recording.other_plugin(config.pluginmanager)
    also = f"; {other} replays the tests marked vcr (uninstall it to let Tapedeck read its cassettes)" if other else ""
    return f"tapedeck: {ours.mode}, recordings in {os.path.relpath(_folder_of(config))}{also}"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    ours, unused = config.stash.get(_SESSION, None), config.stash.get(_UNUSED, None)
    report = None if ours is None else ours.report
    has_passed, prunes = terminalreporter._session.exitstatus == 0, config.getoption("--tapedeck-prune")
    lines = tally.lines()
    if unused is not None and not (config.option.collectonly or terminalreporter._session.shouldstop):
        lines += unused_lines(unused.find(), config.rootpath, prunes and has_passed)
    text = "" if report is None or report.is_empty else report.text
    if prunes and has_passed:
        text += prune_recordings(_folder_of(config))
    elif prunes:
        lines.append("Nothing was removed, because the session failed.")
    if not text and not lines:
        return
    terminalreporter.write_sep("=", "tapedeck" if ours is None else f"tapedeck ({ours.mode})")
    for line in lines:
        terminalreporter.write_line(line)
    terminalreporter.write(text)
    if report is not None and report.exit_code == _MISSED and report.data.get("command") == 0:
        terminalreporter.write_line("The session fails because of these calls, although its tests passed.")


@pytest.hookimpl(optionalhook=True)
def pytest_json_modifyreport(json_report: dict[str, Any]) -> None:
    """Adds the report to that of pytest-json-report."""
    if _last_report is not None:
        json_report["tapedeck"] = {**_last_report.data, "cassettes": tally.counts()}


_last_report: Report | None = None  # pytest-json-report gives its hook no config


def _add_properties(config: pytest.Config, mode: str, report: Report) -> None:
    global _last_report
    _last_report = report
    xml = next((one for one in config.pluginmanager.get_plugins() if hasattr(one, "add_global_property")), None)
    if xml is None or (report.is_empty and not tally.replayed):
        return
    counts = {"sent": report.data.get("leftMachine", 0), **report.counts, "cassettes": tally.replayed.total()}
    for name, value in {"mode": mode, **counts}.items():
        xml.add_global_property(f"tapedeck.{name}", str(value))


_RECORD_MODES = {"once": "record", "new_episodes": "record", "all": "refresh", "rewrite": "refresh", "none": "strict"}


def _mode_of(config: pytest.Config, default: str | None = None) -> str:
    """The mode by the command line, TAPEDECK_MODE, or the ini file; strict if there are recordings, otherwise off."""
    options = config.known_args_namespace
    named = (
        (options.tapedeck, "--tapedeck"),
        (_RECORD_MODES.get(getattr(options, "record_mode", None) or ""), "--record-mode"),
        (os.environ.get("TAPEDECK_MODE"), "TAPEDECK_MODE"),
        (config.getini("tapedeck"), f"tapedeck in {config.inipath}"),
    )
    for mode, source in named:
        if not mode:
            continue
        if mode not in (*MODES, OFF):
            raise pytest.UsageError(f'{source} names the mode "{mode}". The modes are {", ".join(MODES)}, and {OFF}.')
        return str(mode)
    if has_hooks():  # the mode of `tapedeck run`, of the window of VS Code, or of the session of an xdist worker
        default = joined_mode() or default
    if default is not None:
        return default
    return "strict" if (_folder_of(config) / "calls").is_dir() or _has_cassettes(config) else OFF


def _has_cassettes(config: pytest.Config) -> bool:
    """Whether the tests have cassettes that Tapedeck is to read."""
    if recording.other_plugin(config.pluginmanager) is not None:
        return False
    paths = [*config.getini("testpaths")] or [arg.partition("::")[0] for arg in _files_of(config)]
    folders = [config.rootpath / path for path in paths] or [config.rootpath]
    return has_cassettes([folder if folder.is_dir() else folder.parent for folder in folders])


def _files_of(config: pytest.Config) -> list[str]:
    return [str(arg) for arg in getattr(config.known_args_namespace, "file_or_dir", None) or []]


def _folder_of(config: pytest.Config) -> Path:
    """The folder of the recordings: as the ini file says, else of the nearest project up to the root and the repository."""
    root, here = config.rootpath, config.invocation_params.dir
    named = config.getini("tapedeck_dir")
    if named:
        return root / str(named)
    start = here if here.is_relative_to(root) else root
    folders = (start, *start.parents)
    repository = next((folder for folder in folders if (folder / ".git").exists()), root)
    for folder in folders[: max(folders.index(root), folders.index(repository)) + 1]:
        if (folder / ".tapedeck").is_dir() or (folder / "tapedeck.jsonc").is_file():
            return folder / ".tapedeck"
    return root / ".tapedeck"


def _command() -> list[str]:
    """The words that started this session: `python -m` adds the working folder to the path."""
    as_module = os.path.basename(sys.argv[0]) == "__main__.py"
    return [*shell_words(os.path.basename(sys.executable)), "-m", "pytest"] if as_module else shell_words("pytest")


def _record_command(words: list[str]) -> str:
    kept = [word for word in words if not word.startswith("--tapedeck=")]
    while "--tapedeck" in kept:
        at = kept.index("--tapedeck")
        del kept[at : at + 2]
    return shlex.join([*_command(), "--tapedeck=record", *kept])


def _make_room_for_mocks(has_cassettes: bool) -> None:
    """Takes back the base-URL variables in a project whose tests answer calls by address; see tapedeck_mocks."""
    try:
        import tapedeck_mocks  # type: ignore[import-not-found]

        if has_cassettes:
            tapedeck_mocks.take_back(os.environ)
        else:
            tapedeck_mocks.hook_pytest(None)
    except Exception:
        pass  # as everywhere in the hooks: no test fails because of them
