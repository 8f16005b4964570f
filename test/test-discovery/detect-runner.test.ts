import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isTapedeckError } from "../../src/core/base/errors.ts";
import { detectRunner } from "../../src/test-discovery/detect-runner.ts";

/** A workspace in memory under /w, with node_modules entries written as `name@version`. */
function detect(files: Readonly<Record<string, string>>, file: string, more: object = {}): Promise<unknown> {
  const all = new Map(Object.entries(files).map(([name, text]) => [join("/w", name), text]));
  return detectRunner({
    file: join("/w", file),
    workspaceFolder: "/w",
    readFile: async (path) => all.get(path),
    exists: async (path) => all.has(path) || [...all.keys()].some((one) => dirname(one) === path),
    ...more,
  });
}

const installed = (
  name: string,
  version: string,
  bin: object | string,
): Readonly<Record<string, string>> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version, bin }),
});
const VITEST = installed("vitest", "4.1.12", { vitest: "./vitest.mjs" });
const JEST = installed("jest", "30.5.2", "./bin/jest.js");
const MOCHA = installed("mocha", "12.0.3", { mocha: "./bin/mocha.js", _mocha: "./bin/_mocha" });
const PLAYWRIGHT = installed("@playwright/test", "1.65.1", { playwright: "cli.js" });
const json = JSON.stringify;

test("the imports of the file decide", async () => {
  const all = { ...VITEST, ...JEST, ...PLAYWRIGHT, "package.json": json({ scripts: { test: "vitest" } }) };
  const runnerOf = async (text: string): Promise<unknown> =>
    detect({ ...all, "a.test.ts": text }, "a.test.ts");

  expect(await runnerOf('import { test } from "@playwright/test";')).toMatchObject({ runner: "playwright" });
  expect(await runnerOf('import { it } from "@jest/globals"')).toMatchObject({ runner: "jest" });
  expect(await runnerOf("const test = require('node:test');")).toMatchObject({ runner: "node" });
  expect(await runnerOf('it("global", () => {});')).toMatchObject({ runner: "vitest" });
});

test("otherwise the nearest folder decides: its script, its config, its dependencies", async () => {
  const both = { ...VITEST, ...JEST, ...MOCHA };

  expect(
    await detect({ ...both, "package.json": json({ devDependencies: { mocha: "*" } }) }, "test/a.js"),
  ).toMatchObject({ runner: "mocha" });
  expect(
    await detect(
      { ...both, "jest.config.js": "", "package.json": json({ devDependencies: { vitest: "*" } }) },
      "a.js",
    ),
  ).toMatchObject({ runner: "jest" });
  expect(await detect({ ...both, "package.json": json({ jest: {} }) }, "a.js")).toMatchObject({
    runner: "jest",
  });
  expect(await detect({ "package.json": json({ scripts: { test: "node --test" } }) }, "a.js")).toMatchObject({
    runner: "node",
  });
});

test("a package of a monorepo runs in its own folder with the runner installed above it", async () => {
  const files = {
    ...VITEST,
    ...JEST,
    "package.json": json({ devDependencies: { jest: "*" } }),
    "packages/a/package.json": json({ scripts: { test: "vitest run" } }),
    "packages/b/package.json": json({ name: "b" }),
  };

  expect(await detect(files, "packages/a/src/a.test.ts")).toMatchObject({
    runner: "vitest",
    cwd: join("/w", "packages/a"),
    entry: join("/w", "node_modules/vitest/vitest.mjs"),
    version: "4.1.12",
  });
  expect(await detect(files, "packages/b/b.test.ts")).toMatchObject({ runner: "jest", cwd: "/w" });
});

test("the nearest installation is the one that runs", async () => {
  const own = {
    "packages/a/node_modules/mocha/package.json": json({ version: "11.8.0", bin: { mocha: "bin/m.js" } }),
  };
  const files = { ...MOCHA, ...own, "packages/a/package.json": json({ devDependencies: { mocha: "*" } }) };

  expect(await detect(files, "packages/a/test/a.js")).toMatchObject({
    version: "11.8.0",
    entry: join("/w", "packages/a/node_modules/mocha/bin/m.js"),
  });
});

test("Playwright counts beside another runner only for its own folder", async () => {
  const files = {
    ...VITEST,
    ...PLAYWRIGHT,
    "playwright.config.ts": "",
    "vitest.config.ts": "",
    "package.json": "{}",
  };

  expect(await detect(files, "src/a.test.ts")).toMatchObject({ runner: "vitest" });
  expect(await detect(files, "e2e/a.spec.ts")).toMatchObject({ runner: "playwright" });
});

test("options of a script for node and the runner are kept", async () => {
  const flagsOf = async (script: string, more: Readonly<Record<string, string>>): Promise<unknown> =>
    detect(
      { ...more, "package.json": json({ scripts: { lint: "eslint", test: script } }), "a.test.js": "" },
      "a.test.js",
    );

  expect(
    await flagsOf(
      "tsc && node --experimental-vm-modules node_modules/jest/bin/jest.js -c 'my jest.json' --ci",
      JEST,
    ),
  ).toMatchObject({ commandFlags: ["--experimental-vm-modules"], runnerFlags: ["-c", "my jest.json"] });
  expect(await flagsOf("cross-env NODE_OPTIONS=--experimental-vm-modules jest", JEST)).toMatchObject({
    commandFlags: ["--experimental-vm-modules"],
  });
  expect(await flagsOf("mocha --require tsx -t 9000 'test/**/*.ts' --watch", MOCHA)).toMatchObject({
    runnerFlags: ["--require", "tsx", "-t", "9000"],
  });
  expect(await flagsOf('node --import tsx --test "test/*.ts"', {})).toMatchObject({
    runner: "node",
    commandFlags: ["--import", "tsx"],
  });
  expect(await flagsOf("tsx --test test/*.ts", {})).toMatchObject({
    runner: "node",
    commandFlags: ["--import", "tsx"],
  });
  expect(await flagsOf("vitest run --config=other.ts --coverage", VITEST)).toMatchObject({
    runnerFlags: ["--config=other.ts"],
  });
});

test("a TypeScript file of node:test is loaded by tsx when that is installed", async () => {
  const file = { "a.test.ts": 'import test from "node:test";' };

  expect(await detect({ ...file, ...installed("tsx", "4.0.0", "cli.js") }, "a.test.ts")).toMatchObject({
    commandFlags: ["--import", "tsx"],
  });
  expect(await detect(file, "a.test.ts", { nodeVersion: "v24.1.0" })).toMatchObject({
    commandFlags: [],
    version: "24.1.0",
  });
});

test("an undetectable, unknown, or missing runner is an error that lists the places searched", async () => {
  const messageOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const result = await detect(files, "a.test.ts");
    if (!isTapedeckError(result)) throw new Error("a runner was found");
    return `${result.message} ${result.hint}`;
  };

  expect(await messageOf({ "package.json": "{ broken" })).toMatch(
    /did not detect.*a\.test\.ts.*config file.*tapedeck\.testCommand/s,
  );
  expect(await messageOf({ "a.test.ts": 'import { test } from "bun:test"' })).toMatch(
    /bun:test.*tapedeck\.testCommand/s,
  );
  expect(await messageOf({ "package.json": json({ devDependencies: { vitest: "*" } }) })).toMatch(
    /vitest.*is not installed.*node_modules\/vitest.*tapedeck\.testCommand/s,
  );
});

test("Python: pytest when project or file speak of it, with the interpreter of the nearest environment", async () => {
  const venv = { "api/.venv/bin/python": "" };

  expect(
    await detect({ ...venv, "api/pytest.ini": "[pytest]", "api/tests/test_a.py": "" }, "api/tests/test_a.py"),
  ).toMatchObject({
    runner: "pytest",
    cwd: join("/w", "api"),
    command: join("/w", "api/.venv/bin/python"),
  });
  expect(await detect({ "test_a.py": "import pytest\n" }, "test_a.py")).toMatchObject({
    runner: "pytest",
    cwd: "/w",
    command: "python3",
  });
  expect(await detect({ "a/test_a.py": "", "conftest.py": "" }, "a/test_a.py")).toMatchObject({
    runner: "pytest",
  });
  expect(
    await detect({ "test_a.py": "", "/v/bin/python": "" }, "test_a.py", {
      hasPytest: async () => true,
      python: "/opt/py",
    }),
  ).toMatchObject({
    runner: "pytest",
    command: "/opt/py",
  });
});

test("Python: unittest when nothing speaks of pytest and it is not there; an error when the tests need it", async () => {
  const absent = { hasPytest: async () => false };
  const cases = "from unittest import TestCase\n";

  expect(await detect({ "p/__init__.py": "", "p/test_a.py": cases }, "p/test_a.py", absent)).toMatchObject({
    runner: "unittest",
    cwd: "/w",
    importFrom: "/w",
  });
  const missing = await detect({ "test_a.py": "import pytest" }, "test_a.py", absent);
  expect(isTapedeckError(missing) && missing.message).toMatch(/pytest.*is not installed for python3/);
});
