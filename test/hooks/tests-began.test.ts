import { expect, test, vi } from "vitest";
import { aHookedProject, hooksFor } from "../fixtures/runners/hooked.ts";
import { run, type Project } from "../fixtures/runners/project.ts";

// Each test starts several programs, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const started = (project: Project, url: string, command: string, ...args: string[]): ReturnType<typeof run> =>
  run({ command, args, cwd: project.dir }, hooksFor(project, url));

const SUITES = {
  "a.test.cjs": 'const { describe, it } = require("node:test"); describe("a", () => it("adds", () => {}));',
  "test_a.py":
    "import unittest\nclass Case(unittest.TestCase):\n    def test_adds(self): pass\nif __name__ == '__main__': unittest.main()\n",
};
const PROGRAMS = { "a.cjs": 'require("node:test"); fetch;', "a.py": "import unittest, urllib.request\n" };

test("a program that runs no test tells nothing, though a test runner is loaded", async () => {
  const { project, server } = await aHookedProject(PROGRAMS);

  const codes = [
    await started(project, server.url, process.execPath, "a.cjs"),
    await started(project, server.url, "python3", "a.py"),
  ];

  expect(codes.map(({ code, output }) => [code, output])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(server.runners).toEqual([]);
});

test("a process in which tests run tells so once, and its end with its connection", async () => {
  const { project, server } = await aHookedProject(SUITES);

  await started(project, server.url, process.execPath, "a.test.cjs");
  await started(project, server.url, "python3", "test_a.py");
  await Promise.all(server.runners.map(({ ended }) => ended));

  expect(server.runners.map(({ name }) => name)).toEqual(["node", "unittest"]);
  expect(server.calls).toEqual([]);
});

test("where nobody listens any more, tests run as they did", async () => {
  const { project, server } = await aHookedProject(SUITES);
  await server.close();

  const ended = [
    await started(project, server.url, process.execPath, "a.test.cjs"),
    await started(project, server.url, "python3", "test_a.py"),
  ];

  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(ended[0]?.output).toMatch(/^(?:#|ℹ) pass 1$/mu);
  expect(ended[1]?.output).toMatch(/OK\s*$/u);
});
