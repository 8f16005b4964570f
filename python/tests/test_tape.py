"""`tapedeck.tape` serves scripts and unittest."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import Project

SCRIPT = """
    import os, sys
    import tapedeck
    from asking import ask

    before = dict(os.environ)
    with tapedeck.tape(sys.argv[1]):
        print(ask("one"))
        with tapedeck.tape(sys.argv[1]):
            print(ask("two"))
    assert dict(os.environ) == before

    @tapedeck.tape(sys.argv[1])
    def again():
        return ask("one")

    print(again())
"""


def record(project: Project, *words: str) -> None:
    base = project.provider.url + "/v1"
    done = project.python(*words, OPENAI_API_KEY="key", OPENAI_BASE_URL=base, TAPEDECK_TEST_MODE="record")
    assert done.returncode == 0, done


def test_a_script_records_and_replays(project: Project) -> None:
    project.write("script.py", SCRIPT)
    record(project, "script.py", "record")
    calls = project.provider.calls
    assert calls == 3  # a repeated call is recorded as its own take
    done = project.python("script.py", "strict")
    assert (done.returncode, done.stdout) == (0, "ONE\nTWO\nONE\n"), done
    assert project.provider.calls == calls


def test_a_class_of_unittest(project: Project) -> None:
    project.write(
        "test_unit.py",
        """
        import os, unittest
        import tapedeck
        from asking import ask

        @tapedeck.tape(os.environ.get("TAPEDECK_TEST_MODE", "strict"))
        class Words(unittest.TestCase):
            def test_one(self):
                self.assertEqual(ask("one"), "ONE")

            def test_two(self):
                self.assertEqual(ask("two"), "TWO")
        """,
    )
    record(project, "-m", "unittest", "test_unit")
    done = project.python("-m", "unittest", "test_unit")
    assert done.returncode == 0, done
    assert project.provider.calls == 2


def test_a_tape_in_a_session_that_blocks_the_network(project: Project) -> None:
    project.write(
        "test_tapes.py",
        """
        import os, pytest, subprocess, sys
        import tapedeck
        from asking import ask

        def test_one():
            with pytest.raises(RuntimeError, match="Network is disabled"):
                ask("one")
            with tapedeck.tape(os.environ.get("TAPEDECK_TEST_MODE", "strict")):
                assert ask("one") == "ONE"
                words = [sys.executable, "-c", "import sys; print(hasattr(sys, '_tapedeck'))"]
                assert subprocess.check_output(words, env={}, text=True) == "True\\n"
            with pytest.raises(RuntimeError, match="Network is disabled"):
                ask("one")
        """,
    )
    off = ["-m", "pytest", "-p", "no:cacheprovider", "--tapedeck=off", "--block-network"]
    record(project, *off)
    done = project.python(*off)
    assert done.returncode == 0, done.stdout
    assert project.provider.calls == 1


OPENAI = """
    import os
    from asking import ask

    class Completions:
        def create(self, *, model, messages):
            return ask(messages[-1]["content"])

    class OpenAI:
        chat = type("Chat", (), {"completions": Completions()})
"""


def test_the_example_of_the_documentation_runs(project: Project) -> None:
    document = Path(__file__).parents[2] / "docs" / "python.md"
    [example] = re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
    project.write("openai.py", OPENAI)
    project.write("test_docs.py", "").write_text(re.sub(r'"strict"|"record"|tape\(\)', _in_any_mode, example))
    for mode in ("record", "strict"):
        calls = project.provider.calls
        base = project.provider.url + "/v1"
        done = project.python("-m", "unittest", "test_docs", OPENAI_API_KEY="k", OPENAI_BASE_URL=base, TAPE=mode)
        assert (done.returncode, "Ran 1 test" in done.stderr) == (0, True), done
    assert (calls, project.provider.calls) == (1, 1)


def _in_any_mode(found: re.Match[str]) -> str:
    mode = "__import__('os').environ['TAPE']"
    return f"tape({mode})" if found.group() == "tape()" else mode


def test_modes_may_follow_each_other_but_not_nest(project: Project) -> None:
    project.write(
        "script.py",
        """
        import tapedeck
        with tapedeck.tape("lenient"):
            try:
                tapedeck.tape("strict").__enter__()
            except tapedeck.ProgramError as error:
                print(error)
        with tapedeck.tape("strict"):
            print("strict")
        """,
    )
    done = project.python("script.py")
    assert done.returncode == 0, done
    assert "A tape in lenient mode is active in this process" in done.stdout
    assert done.stdout.endswith("strict\n")


def test_reports_what_is_missing(project: Project) -> None:
    project.write("script.py", "import tapedeck\nfrom asking import ask\nwith tapedeck.tape():\n    ask('one')\n")
    done = project.python("script.py")
    assert done.returncode == 1
    assert "0 replayed · 1 missing" in done.stderr
    assert 'Record them: the same code with tapedeck.tape("record")' in done.stderr


def test_the_program_speaks_chinese(project: Project) -> None:
    start = "import sys; from tapedeck.program import main; sys.argv[1:] = ['--lang', 'zh-cn', '--help']; sys.exit(main())"
    done = project.python("-c", start)
    assert (done.returncode, done.stdout.startswith("用法：tapedeck")) == (0, True), done
