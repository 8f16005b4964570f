import { writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { hooksFor } from "../fixtures/runners/hooked.ts";
import { run, type Project } from "../fixtures/runners/project.ts";
import { aStandIn } from "../fixtures/runners/stand-in.ts";
import { generations } from "./support/generations.ts";
import type { Generation } from "./support/installed.ts";
import { because, missing, python } from "./support/python.ts";
import { aTemporaryProject, packagesOf } from "./support/scene.ts";

const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const JEST = ["node_modules/jest/bin/jest.js"];
const MOCHA = ["node_modules/mocha/bin/mocha.js"];
const PLAYWRIGHT = ["node_modules/@playwright/test/cli.js", "test"];
const PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];

/** Runs tests without calls under the hooks; returns the runners that reported tests, once all have ended. */
async function told(project: Project, command: string, args: readonly string[]) {
  const server = await aStandIn(() => [project.dir]);
  onTestFinished(() => server.close());
  const hooks = hooksFor(project, server.url);
  const noting = setInterval(() => {
    if (server.runners.length > 0) writeFileSync(project.path("told"), "");
  }, 10);
  const { code, output } = await run({ command, args, cwd: project.dir }, hooks);
  clearInterval(noting);
  // The run ends when all of them have ended.
  await Promise.all(server.runners.map(({ ended }) => ended));
  const names = new Set(server.runners.map(({ name }) => name));
  return { code, output, calls: server.calls.length, names: [...names], processes: server.runners.length };
}

const testsIn = (imports: string): Readonly<Record<string, string>> => ({
  "package.json": "{}",
  "a.test.js": `${imports}\nit("adds", () => {});\n`,
  "b.test.js": `${imports}\nit("adds too", () => {});\n`,
});
/** A vitest thread is terminated with its last test, so the tests continue until the server has the report of their runner. */
const UNTIL_TOLD = `import { existsSync } from "node:fs";
import { it as declare } from "vitest";
const it = (name) =>
  declare(name, async () => {
    while (!existsSync("told")) await new Promise((resolve) => setTimeout(resolve, 10));
  }, 600_000);`;

describe("tests without calls are reported, with the end of their processes", () => {
  const vitest = 'import { it } from "vitest";';
  const playwright = 'const { test: it } = require("@playwright/test");';

  const runs: readonly (readonly [name: string, Generation, imports: string, args: readonly string[]])[] = [
    ["vitest", "current", vitest, [...VITEST, "--pool", "forks", "--maxWorkers=2"]],
    ["vitest", "current", UNTIL_TOLD, [...VITEST, "--pool", "threads", "--maxWorkers=2"]],
    ["vitest, previous", "previous", vitest, [...VITEST, "--pool", "forks", "--maxWorkers=2"]],
    ["jest", "current", "", [...JEST, "-w", "2"]],
    ["jest, previous", "previous", "", [...JEST, "-w", "2"]],
    ["mocha", "current", "", [...MOCHA, "*.test.js"]],
    ["mocha, previous", "previous", "", [...MOCHA, "*.test.js"]],
    ["node", "current", 'const { it } = require("node:test");', ["--test", "a.test.js", "b.test.js"]],
    ["playwright", "current", playwright, [...PLAYWRIGHT, "--workers=2"]],
  ];

  test.each(casesOf({ quick: generations(runs).slice(0, -1), long: runs }))(
    "%s %s",
    async (name, generation, imports, args) => {
      const [runner = ""] = name.split(",");
      const named = runner === "playwright" ? "@playwright/test" : runner;
      const project = aTemporaryProject(
        testsIn(imports),
        packagesOf(generation, runner === "node" ? [] : [named]),
      );

      const found = await told(project, process.execPath, args);

      expect(found).toMatchObject({ code: 0, calls: 0, names: [runner] });
    },
  );

  test.skipIf(missing).each([
    ["in one process", ["-W", "error"]],
    ["in parallel workers", ["-p", "xdist", "-n", "2"]],
  ])(`pytest %s${because}`, async (_, args) => {
    const project = aTemporaryProject({
      "pytest.ini": "[pytest]\n",
      "test_a.py": "def test_adds(): pass\n",
      "test_b.py": "def test_adds(): pass\n",
    });

    const found = await told(project, python, ["-X", "dev", ...PYTEST, ...args]);

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["pytest"] });
    expect(found.output).not.toMatch(/warning/iu);
  });

  test("unittest", async () => {
    const project = aTemporaryProject({
      "test_a.py":
        "import os, unittest\nclass Case(unittest.TestCase):\n    def test_adds(self):\n        if hasattr(os, 'fork') and os.fork() == 0: os._exit(0)\n",
    });

    const unittest = ["-m", "unittest", "test_a"];
    const found = await told(project, "python3", ["-X", "dev", "-W", "error", ...unittest]);

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["unittest"], processes: 1 });
    expect(found.output).not.toMatch(/warning/iu);
  });
});

describe("a run in which no test began is reported as that", () => {
  const ADDS = 'it("adds", () => {});\n';
  const broken = (imports: string): Readonly<Record<string, string>> => ({
    "package.json": "{}",
    "broken.test.js": `${imports}\nrequire("./gone.js");\n${ADDS}`,
    "good.test.js": `${imports}\n${ADDS}`,
    "test_broken.py": "import gone_module\n\ndef test_adds(): pass\n",
    "test_good.py": "def test_adds(): pass\n",
  });
  const GLOBALS = [...VITEST, "--globals"];
  // A process that ends within milliseconds may not get to report that it started.
  const ended = (runner: string) =>
    new RegExp(
      `No call reached Tapedeck\\. No test (?:ran: ${runner} ended before its first test\\.|of ${runner} reported to Tapedeck: none ran, or)`,
    );

  test.skipIf(missing).each([
    ["vitest", process.execPath, [...GLOBALS, "gone.test.js"]],
    ["vitest", process.execPath, [...GLOBALS, "broken"]],
    ["jest", process.execPath, [...JEST, "gone.test.js"]],
    ["jest", process.execPath, [...JEST, "broken"]],
    ["mocha", process.execPath, [...MOCHA, "broken.test.js"]],
    ["pytest", python, [...PYTEST, "test_gone.py"]],
    ["pytest", python, [...PYTEST, "test_broken.py"]],
  ])(`%s %s %s${because}`, async (runner, program, args) => {
    const project = aTemporaryProject(broken(""), packagesOf("current", ["vitest", "jest", "mocha"]));

    const { stderr } = await tapedeck(["run", "--", program, ...args], { cwd: project.dir });

    expect(stderr).toMatch(ended(runner));
  });

  test.skipIf(missing).each([
    [process.execPath, [...GLOBALS, "good"]],
    [process.execPath, [...JEST, "good"]],
    [process.execPath, [...MOCHA, "good.test.js"]],
    [python, [...PYTEST, "test_good.py"]],
  ])(`if a test ran, no such message is printed: %s %s${because}`, async (program, args) => {
    const project = aTemporaryProject(broken(""), packagesOf("current", ["vitest", "jest", "mocha"]));

    const { stderr } = await tapedeck(["run", "--", program, ...args], { cwd: project.dir });

    expect(stderr).toContain("No call reached Tapedeck.");
    expect(stderr).not.toMatch(/No test (?:ran:|of)/);
  });

  test("node --test of a file that is gone, whose process ends before it can report", async () => {
    const project = aTemporaryProject({ "package.json": "{}" });

    const command = [process.execPath, "--test", "gone.test.js"];
    const { stderr } = await tapedeck(["run", "--", ...command], { cwd: project.dir });

    expect(stderr).toMatch(ended("node --test"));
  });
});
