import { expect, test } from "vitest";
import { HOSTILE_PYTEST } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import { CALLING_PYTEST, PYTHON_HELPER } from "./support/calling-python.ts";
import { because, missing, python, versionsOf } from "./support/python.ts";
import { oneFile, ranFor } from "./support/run-one.ts";
import { aTemporaryProject } from "./support/scene.ts";

test.skipIf(missing)(
  `pytest tells every call to its test, in parallel workers, with the official SDKs${because}`,
  async () => {
    const project = aTemporaryProject({
      // Said, because the plugin's versions warn where it is not, and a warning fails this run.
      "pytest.ini": "[pytest]\nasyncio_default_fixture_loop_scope = function\n",
      "tests/llm_helper.py": PYTHON_HELPER,
      "tests/test_a.py": CALLING_PYTEST,
      "tests/test_b.py": CALLING_PYTEST,
    });

    const calls = await callsOf({
      project,
      command: python,
      args: [
        "-m",
        "pytest",
        "-q",
        "-W",
        "error::pytest.PytestWarning",
        "-p",
        "pytest_asyncio.plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "xdist",
        "-n",
        "2",
      ],
    });

    const name = versionsOf(["pytest", "pytest-xdist", "openai", "anthropic", "google-genai"]);
    expectRightTests(calls, { runner: "pytest", name, withoutLine: new Set(["gathered", "thread"]) });
    expect(executionsOf(calls)).toMatchObject({
      "test_a.py: TestCase / test_plain": 1,
      "test_b.py: TestTables / test_row": 3,
      "test_b.py: test_async": 2,
    });
    const cases = calls.flatMap(({ test: told }) =>
      told?.file === "tests/test_a.py" && told.name.at(-1)?.startsWith("test_row[") ? [told] : [],
    );
    expect(new Set(cases.map((one) => one.name.join(" ")))).toEqual(
      new Set([
        "TestTables test_row[a::b]",
        "TestTables test_row[\\xe9 [c]]",
        "TestTables test_row[two\\nlines $HOME]",
      ]),
    );
    expect(cases.map(({ id }) => id)).toContain("tests/test_a.py::TestTables::test_row[a::b]");
  },
);

test.skipIf(missing)(`pytest runs exactly the test, the class, the file${because}`, async () => {
  const project = aTemporaryProject({
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "tests/test_a.py": HOSTILE_PYTEST,
    "tests/test_b.py": HOSTILE_PYTEST,
  });

  const one = await oneFile(project, "tests/test_a.py", { python, hasPytest: async () => true });

  expect(one.runner.runner).toBe("pytest");
  expect(await ranFor(one, "test")).toEqual(["the one"]);
  expect(await ranFor(one, "param")).toEqual(["two [c]", "two a::b", "two \u00e9 d"]);
  expect(await ranFor(one, "param", ["TestKTwin", "test_two[a::b]"])).toEqual(["two a::b"]);
  expect(await ranFor(one, "param", ["TestKTwin", "test_two[\\xe9 d]"])).toEqual(["two \u00e9 d"]);
  expect(await ranFor(one, "suite")).toEqual(["twin", "two [c]", "two a::b", "two \u00e9 d"]);
  expect(await ranFor(one, undefined)).toHaveLength(7);
});
