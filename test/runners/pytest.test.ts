import { existsSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { CallEvent } from "../../src/core/call/call.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { METAGPT_PROJECT } from "../fixtures/metagpt/project.ts";
import { hooksFor } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { casesOf } from "../support/cases.ts";
import { aServer } from "../support/a-server.ts";
import { HOSTILE_PYTEST } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import { CALLING_PYTEST, PYTHON_HELPER } from "./support/calling-python.ts";
import { because, missing, python, versionsOf } from "./support/python.ts";
import { oneFile, ranFor } from "./support/run-one.ts";
import { aTemporaryProject } from "./support/scene.ts";

/** Cases of a parametrized test: their names, and what they write. */
const CASES = casesOf({
  quick: [["a::b", "two a::b"]],
  long: [
    ["a::b", "two a::b"],
    ["\\xe9 d", "two \u00e9 d"],
  ],
} as const);

test.skipIf(missing)(
  `pytest attributes every call to its test, in parallel workers, with the official SDKs${because}`,
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
  for (const [name, ran] of CASES)
    expect(await ranFor(one, "param", ["TestKTwin", `test_two[${name}]`])).toEqual([ran]);
  expect(await ranFor(one, "suite")).toEqual(["twin", "two [c]", "two a::b", "two \u00e9 d"]);
  expect(await ranFor(one, undefined)).toHaveLength(7);
});

test.skipIf(missing)(
  `an answer that MetaGPT keeps is recorded once, in its own cache${because} [MG-I9]`,
  async () => {
    const project = aTemporaryProject({ ...METAGPT_PROJECT, "pytest.ini": "[pytest]\n" });
    const upstream = await aServer((_, response) => {
      const message = { role: "assistant", content: "Needs work." };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
    const deck = openDeck({ dir: project.path(".tapedeck"), upstreams: { openai: upstream } });
    onTestFinished(() => deck.close());
    const events: CallEvent[] = [];
    deck.engine.onCall((event) => events.push(event));
    const server = await deck.listen({ roots: [project.dir] });
    const { url } = server.admit(deck.createRun("record"));
    const env = {
      ...hooksFor(project, url),
      OPENAI_BASE_URL: `${url}/openai/v1`,
      OPENAI_API_KEY: "sk-of-a-person",
      ALLOW_OPENAI_API_CALL: "1",
    };
    const args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_writer.py"];

    const { code, output } = await run({ command: python, args, cwd: project.dir }, env);

    if (code !== 0) throw new Error(output);
    expect(events.map(({ outcome, test: told }) => [outcome, told?.name.at(-1)])).toEqual([
      ["replayed", "test_capital"],
      ["forwarded", "test_review"],
      ["recorded", "test_review"],
    ]);
    expect(events.map(({ entry }) => entry?.replace(/#.*/u, ""))).toEqual([
      "tests/data/rsp_cache.json",
      undefined,
      "tests/data/rsp_cache.json",
    ]);
    expect(readFileSync(project.path("tests/data/rsp_cache.json"), "utf8")).toContain("Needs work.");
    expect(existsSync(project.path(".tapedeck/calls"))).toBe(false);
  },
);
