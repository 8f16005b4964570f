import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { isTapedeckError } from "../../../src/core/errors.ts";
import { detectRunner } from "../../../src/editor/tests/detect-runner-model.ts";
import { createTestFinder, type TestFinder } from "../../../src/editor/tests/find-tests-model.ts";
import { commandForTest, type TestTarget } from "../../../src/editor/tests/run-one-model.ts";
import type { ProjectFiles, TestRunner } from "../../../src/editor/tests/test-runner-model.ts";
import { HOSTILE_PYTEST, HOSTILE_PYTHON, hostileJavaScript } from "../../fixtures/runners/hostile-tests.ts";
import { aProject, run, type Project } from "../../fixtures/runners/project.ts";
import { grammarsDir } from "./finder.ts";

// Each test starts several programs, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let finder: TestFinder;
const projects: Project[] = [];
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

const onDisk: ProjectFiles = {
  readFile: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  exists: async (path) => existsSync(path),
};
const pytestIsThere = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;
const hasPytest = async (): Promise<boolean> => pytestIsThere;

interface Scene {
  readonly project: Project;
  readonly file: string;
  readonly runner: TestRunner;
  /** Names that the tests wrote when only the line marked so was asked for, or the whole file. */
  readonly ranFor: (mark: string | undefined) => Promise<readonly string[]>;
}

async function aScene(
  files: Readonly<Record<string, string>>,
  name: string,
  options: { packages?: string[]; hasPytest?: () => Promise<boolean> } = {},
): Promise<Scene> {
  const project = aProject(files, options.packages);
  projects.push(project);
  const file = project.path(name);
  const runner = await detectRunner({
    ...onDisk,
    file,
    workspaceFolder: project.dir,
    nodeVersion: process.version,
    hasPytest: options.hasPytest ?? hasPytest,
  });
  if (isTapedeckError(runner)) throw runner;
  let count = 0;
  const ranFor = async (mark: string | undefined): Promise<readonly string[]> => {
    const report = project.path(`ran-${(count += 1)}`);
    const { output } = await run(commandForTest(runner, file, await marked(file, mark)), { RAN: report });
    if (!existsSync(report)) throw new Error(`nothing ran:\n${output}`);
    return readFileSync(report, "utf8").trimEnd().split("\n").sort();
  };
  return { project, file, runner, ranFor };
}

async function marked(file: string, mark: string | undefined): Promise<TestTarget> {
  const text = readFileSync(file, "utf8");
  const tests = await finder.findTests(text, file.endsWith(".py") ? "python" : "javascript");
  if (mark === undefined) return tests;
  const line = text.split("\n").findIndex((one) => one.includes(`wanted ${mark}`)) + 1;
  return tests.find((one) => one.line === line);
}

const ALL = [
  "beside",
  "longer",
  "longer in front",
  "loop 1",
  "loop 2",
  "other",
  "the one",
  "twin a",
  "twin b",
];

test("vitest runs exactly the test, the suite, the file that is asked for", async () => {
  const source = hostileJavaScript('import { describe, it } from "vitest"; import fs from "node:fs";');
  const { runner, ranFor } = await aScene(
    { "package.json": "{}", "sub/a.test.mjs": source, "sub/b.test.mjs": source },
    "sub/a.test.mjs",
    { packages: ["vitest"] },
  );

  expect(runner).toMatchObject({ runner: "vitest", version: expect.stringMatching(/^4\./) });
  expect(await ranFor("test")).toEqual(["the one"]);
  expect(await ranFor("loop")).toEqual(["loop 1", "loop 2"]);
  expect(await ranFor("suite")).toEqual(["twin a", "twin b"]);
  expect(await ranFor(undefined)).toEqual(ALL);
});

test("mocha runs exactly the test, the suite, the file that is asked for, whatever its config lists", async () => {
  const source = hostileJavaScript('const fs = require("node:fs");');
  const other =
    'const fs = require("node:fs"); it("elsewhere", () => fs.appendFileSync(process.env.RAN, "elsewhere\\n"));';
  const { runner, ranFor } = await aScene(
    {
      "package.json": '{ "devDependencies": { "mocha": "*" } }',
      ".mocharc.json": '{ "spec": ["sub/*.cjs"] }',
      "sub/a.cjs": source,
      "sub/b.cjs": other,
    },
    "sub/a.cjs",
    { packages: ["mocha"] },
  );

  expect(runner).toMatchObject({ runner: "mocha", version: expect.stringMatching(/^12\./) });
  expect(await ranFor("test")).toEqual(["the one"]);
  expect(await ranFor("loop")).toEqual(["loop 1", "loop 2"]);
  expect(await ranFor("suite")).toEqual(["twin a", "twin b"]);
  expect(await ranFor(undefined)).toEqual(ALL);
});

test("node:test runs exactly the test, the suite, the file that is asked for", async () => {
  const source = hostileJavaScript('import { describe, it } from "node:test"; import fs from "node:fs";');
  const { runner, ranFor } = await aScene(
    { "[id] a.test.mjs": source, "b.test.mjs": source },
    "[id] a.test.mjs",
  );

  expect(runner).toMatchObject({ runner: "node", command: "node", commandFlags: [] });
  expect(await ranFor("test")).toEqual(["the one"]);
  expect(await ranFor("loop")).toEqual(["loop 1", "loop 2"]);
  expect(await ranFor("suite")).toEqual(["twin a", "twin b"]);
  expect(await ranFor(undefined)).toEqual(ALL);
});

test.skipIf(!pytestIsThere)("pytest runs exactly the test, the class, the file (needs pytest)", async () => {
  const { runner, ranFor } = await aScene(
    { "pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": HOSTILE_PYTEST },
    "tests/test_a.py",
  );

  expect(runner.runner).toBe("pytest");
  expect(await ranFor("test")).toEqual(["the one"]);
  expect(await ranFor("param")).toEqual(["two [c]", "two a::b", "two \u00e9 d"]);
  expect(await ranFor("suite")).toEqual(["twin", "two [c]", "two a::b", "two \u00e9 d"]);
  expect(await ranFor(undefined)).toHaveLength(7);
});

const withoutPytest = { hasPytest: async () => false };

test("unittest runs exactly the test, the class, the file of a package", async () => {
  const { runner, ranFor } = await aScene(
    { "tests/__init__.py": "", "tests/test_a.py": HOSTILE_PYTHON, "tests/test_b.py": HOSTILE_PYTHON },
    "tests/test_a.py",
    withoutPytest,
  );

  expect(runner.runner).toBe("unittest");
  expect(await ranFor("test")).toEqual(["the one"]);
  expect(await ranFor("suite")).toEqual(["twin", "twin two"]);
  expect(await ranFor(undefined)).toEqual(["longer", "the one", "twin", "twin two"]);
});

test("unittest runs exactly the test, the class, the file of a folder that is no package", async () => {
  const source = `import beside, inroot\n${HOSTILE_PYTHON}`;
  const { ranFor } = await aScene(
    {
      "setup.py": "",
      "inroot.py": "",
      "my tests/beside.py": "",
      "my tests/test_a.py": source,
      "my tests/test_ab.py": source,
    },
    "my tests/test_a.py",
    withoutPytest,
  );

  expect(await ranFor("test")).toEqual(["the one"]);
  expect(await ranFor("suite")).toEqual(["twin", "twin two"]);
  expect(await ranFor(undefined)).toEqual(["longer", "the one", "twin", "twin two"]);
});
