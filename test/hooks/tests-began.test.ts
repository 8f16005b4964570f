import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aHookedProject, hooksFor } from "../fixtures/runners/hooked.ts";
import { run, type Project } from "../fixtures/runners/project.ts";
import { until } from "../support/a-gate.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

// Each test starts several programs, on machines that may be busy.

const started = (project: Project, url: string, command: string, ...args: string[]): ReturnType<typeof run> =>
  run({ command, args, cwd: project.dir }, hooksFor(project, url));

/** Each with a program that runs no test, and one that is a test. */
const LANGUAGES = [
  {
    name: "Node",
    isThere: true,
    command: process.execPath,
    runner: "node",
    program: ["a.cjs", 'require("node:test"); fetch;'],
    suite: [
      "a.test.cjs",
      'const { describe, it } = require("node:test"); describe("a", () => it("adds", () => {}));',
    ],
    passed: /^(?:#|ℹ) pass 1$/mu,
  },
  {
    name: `Python ${NEEDS_PYTHON}`,
    isThere: hasPython,
    command: "python3",
    runner: "unittest",
    program: ["a.py", "import unittest, urllib.request\n"],
    suite: [
      "test_a.py",
      "import unittest\nclass Case(unittest.TestCase):\n    def test_adds(self): pass\nif __name__ == '__main__': unittest.main()\n",
    ],
    passed: /OK\s*$/u,
  },
] as const;

for (const { name, isThere, command, runner, program, suite, passed } of LANGUAGES) {
  // oxlint-disable-next-line vitest/valid-title -- the language's name, with what it needs
  describe.skipIf(!isThere)(name, () => {
    test("a program without tests reports nothing, although a test runner is loaded", async () => {
      const [file, text] = program;
      const { project, server } = await aHookedProject({ [file]: text });

      const { code, output } = await started(project, server.url, command, file);

      expect([code, output]).toEqual([0, ""]);
      expect(server.runners).toEqual([]);
    });

    test("a process that runs tests reports it once, and its end by closing its connection", async () => {
      const [file, text] = suite;
      const { project, server } = await aHookedProject({ [file]: text });

      await started(project, server.url, command, file);
      await Promise.all(server.runners.map(({ ended }) => ended));

      expect(server.runners.map((one) => one.name)).toEqual([runner]);
      expect(server.calls).toEqual([]);
    });

    test("tests run unchanged after the server has closed", async () => {
      const [file, text] = suite;
      const { project, server } = await aHookedProject({ [file]: text });
      await server.close();

      const { code, output } = await started(project, server.url, command, file);

      expect(code).toBe(0);
      expect(output).toMatch(passed);
    });
  });
}

/** Vitest stops a worker as soon as its tests have ended, even if the report is not sent yet. */
const UNTIL_REPORTED = `async function untilReported() {
  const { existsSync } = await import("node:fs");
  while (!existsSync("reported")) await new Promise((resolve) => setTimeout(resolve, 20));
}`;

const VITEST = join(rootDir, "node_modules", "vitest", "vitest.mjs");

test("a vitest whose tests are all skipped, also by its filter, reports nothing", async () => {
  const { project, server } = await aHookedProject({
    "a.test.js":
      'describe("a", () => { it.skip("adds", () => {}); it("takes", untilReported); });\n' + UNTIL_REPORTED, // a file for vitest to run
  });
  const runTest = (name: string) =>
    started(project, server.url, process.execPath, VITEST, "run", "--globals", "--testTimeout=0", "-t", name);

  const skipped = await runTest("a adds");
  const reported = server.runners.length;
  const running = runTest("a takes");
  await until(() => server.runners.length > 0);
  writeFileSync(join(project.dir, "reported"), "");
  await running;

  expect([skipped.code, reported, server.runners.map(({ name }) => name)]).toEqual([0, 0, ["vitest"]]);
});
