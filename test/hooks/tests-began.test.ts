import { delimiter, resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hookEnvironment } from "../../src/hooks/environment.ts";
import { aProject, run, type Project } from "../fixtures/runners/project.ts";
import { aStandIn, type StandIn } from "../fixtures/runners/stand-in.ts";

// Each test starts several programs, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const hooksDir = resolve(import.meta.dirname, "../../src/hooks");

let project: Project;
let server: StandIn;
beforeEach(async () => {
  server = await aStandIn(() => [project.dir]);
});
afterEach(async () => {
  await server.close();
  project.remove();
});

const started = (command: string, args: readonly string[], url = server.url): ReturnType<typeof run> =>
  run(
    { command, args, cwd: project.dir },
    hookEnvironment({ hooksDir, url, roots: [project.dir], delimiter, base: {} }),
  );

const SUITES = {
  "a.test.cjs": 'const { describe, it } = require("node:test"); describe("a", () => it("adds", () => {}));',
  "test_a.py":
    "import unittest\nclass Case(unittest.TestCase):\n    def test_adds(self): pass\nif __name__ == '__main__': unittest.main()\n",
};
const PROGRAMS = { "a.cjs": 'require("node:test"); fetch;', "a.py": "import unittest, urllib.request\n" };

test("a program that runs no test tells nothing, though a test runner is loaded", async () => {
  project = aProject(PROGRAMS);

  const codes = [await started(process.execPath, ["a.cjs"]), await started("python3", ["a.py"])];

  expect(codes.map(({ code, output }) => [code, output])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(server.runners).toEqual([]);
});

test("a process in which tests run tells so once, and its end with its connection", async () => {
  project = aProject(SUITES);

  await started(process.execPath, ["a.test.cjs"]);
  await started("python3", ["test_a.py"]);
  await Promise.all(server.runners.map(({ ended }) => ended));

  expect(server.runners.map(({ name }) => name)).toEqual(["node", "unittest"]);
  expect(server.calls).toEqual([]);
});

test("where nobody listens any more, tests run as they did", async () => {
  project = aProject(SUITES);
  const gone = server.url;
  await server.close();

  const ended = [
    await started(process.execPath, ["a.test.cjs"], gone),
    await started("python3", ["test_a.py"], gone),
  ];

  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(ended[0]?.output).toContain("# pass 1");
  expect(ended[1]?.output).toMatch(/OK\s*$/u);
  server = await aStandIn(() => [project.dir]);
});
