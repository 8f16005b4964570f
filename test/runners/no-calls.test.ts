import { writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { hooksFor } from "../fixtures/runners/hooked.ts";
import { run, type Project } from "../fixtures/runners/project.ts";
import { aStandIn } from "../fixtures/runners/stand-in.ts";
import { generations } from "./support/generations.ts";
import { because, missing, python } from "./support/python.ts";
import { aTemporaryProject, packagesOf } from "./support/scene.ts";

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Runs tests without calls under the hooks; returns the runners that reported tests, once all have ended. */
async function told(project: Project, { command, args }: Command) {
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
const node = (project: Project, ...args: readonly string[]): Command => ({
  command: process.execPath,
  args: args.map((arg) => arg.replace(/^node_modules/u, project.path("node_modules"))),
});

describe("tests without calls are reported, with the end of their processes", () => {
  test.each(
    generations([
      ["current", "forks"],
      ["current", "threads"],
      ["previous", "forks"],
    ] as const),
  )("%s vitest (%s)", async (generation, pool) => {
    const project = aTemporaryProject(
      testsIn(pool === "threads" ? UNTIL_TOLD : 'import { it } from "vitest";'),
      packagesOf(generation, ["vitest"]),
    );

    const found = await told(
      project,
      node(project, "node_modules/vitest/vitest.mjs", "run", "--pool", pool, "--maxWorkers=2"),
    );

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["vitest"] });
  });

  test.each(generations(["current", "previous"] as const))("%s jest", async (generation) => {
    const project = aTemporaryProject(testsIn(""), packagesOf(generation, ["jest"]));

    const found = await told(project, node(project, "node_modules/jest/bin/jest.js", "-w", "2"));

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["jest"] });
  });

  test.each(generations(["current", "previous"] as const))("%s mocha", async (generation) => {
    const project = aTemporaryProject(testsIn(""), packagesOf(generation, ["mocha"]));

    const found = await told(project, node(project, "node_modules/mocha/bin/mocha.js", "*.test.js"));

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["mocha"] });
  });

  test("node:test", async () => {
    const project = aTemporaryProject(testsIn('const { it } = require("node:test");'));

    const found = await told(project, node(project, "--test", "a.test.js", "b.test.js"));

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["node"] });
  });

  test.each(casesOf({ quick: [], long: ["Playwright"] }))("%s", async () => {
    const project = aTemporaryProject(
      testsIn('const { test: it } = require("@playwright/test");'),
      packagesOf("current", ["@playwright/test"]),
    );

    const found = await told(
      project,
      node(project, "node_modules/@playwright/test/cli.js", "test", "--workers=2"),
    );

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["playwright"] });
  });

  test.skipIf(missing).each([
    ["in one process", ["-W", "error"]],
    ["in parallel workers", ["-p", "xdist", "-n", "2"]],
  ])(`pytest %s${because}`, async (_, args) => {
    const project = aTemporaryProject({
      "pytest.ini": "[pytest]\n",
      "test_a.py": "def test_adds(): pass\n",
      "test_b.py": "def test_adds(): pass\n",
    });

    const found = await told(project, {
      command: python,
      args: ["-X", "dev", "-m", "pytest", "-q", "-p", "no:cacheprovider", ...args],
    });

    expect(found).toMatchObject({ code: 0, calls: 0, names: ["pytest"] });
    expect(found.output).not.toMatch(/warning/iu);
  });

  test("unittest", async () => {
    const project = aTemporaryProject({
      "test_a.py":
        "import os, unittest\nclass Case(unittest.TestCase):\n    def test_adds(self):\n        if hasattr(os, 'fork') and os.fork() == 0: os._exit(0)\n",
    });

    const found = await told(project, {
      command: "python3",
      args: ["-X", "dev", "-W", "error", "-m", "unittest", "test_a"],
    });

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
  const VITEST = ["node_modules/vitest/vitest.mjs", "run", "--globals"];
  const JEST = ["node_modules/jest/bin/jest.js"];
  const MOCHA = ["node_modules/mocha/bin/mocha.js"];
  const PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
  // A process that ends within milliseconds may not get to report that it started.
  const ended = (runner: string) =>
    new RegExp(
      `No call reached Tapedeck\\. No test (?:ran: ${runner} ended before its first test\\.|of ${runner} reported to Tapedeck: none ran, or)`,
    );

  test.skipIf(missing).each([
    ["vitest", process.execPath, [...VITEST, "gone.test.js"]],
    ["vitest", process.execPath, [...VITEST, "broken"]],
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
    [process.execPath, [...VITEST, "good"]],
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
