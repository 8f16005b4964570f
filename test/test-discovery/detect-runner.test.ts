import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { isTapedeckError } from "../../src/core/base/errors.ts";
import { detectRunner } from "../../src/test-discovery/detect-runner.ts";
import { aFolder } from "../support/a-folder.ts";

/** A workspace in memory under /w, with node_modules entries written as `name@version`. */
function detect(files: Readonly<Record<string, string>>, file: string, more: object = {}): Promise<unknown> {
  const all = new Map(
    Object.entries(files).map(([name, text]) => [name.startsWith("/") ? join(name) : join("/w", name), text]),
  );
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

const BOTH = { ...VITEST, ...JEST, ...MOCHA };
const needs = (dependency: string) => ({ "package.json": json({ devDependencies: { [dependency]: "*" } }) });
const runs = (script: string) => ({ "package.json": json({ scripts: { lint: "eslint", test: script } }) });

test.for([
  ["playwright", 'import { test } from "@playwright/test";'],
  ["jest", 'import { it } from "@jest/globals"'],
  ["node", "const test = require('node:test');"],
  ["vitest", 'it("global", () => {});'],
] as const)("the imports of the file decide: %s for %s", async ([runner, text]) => {
  const files = { ...VITEST, ...JEST, ...PLAYWRIGHT, ...runs("vitest"), "a.test.ts": text };

  expect(await detect(files, "a.test.ts")).toMatchObject({ runner });
});

test.for<readonly [by: string, runner: string, files: Readonly<Record<string, string>>]>([
  ["dependencies", "mocha", { ...BOTH, ...needs("mocha") }],
  ["config", "jest", { ...BOTH, ...needs("vitest"), "jest.config.js": "" }],
  ["config in package.json", "jest", { ...BOTH, "package.json": json({ jest: {} }) }],
  ["script", "node", runs("node --test")],
])("otherwise the nearest folder decides by its %s: %s", async ([, runner, files]) => {
  expect(await detect(files, "test/a.js")).toMatchObject({ runner });
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

const MODULES = "--experimental-vm-modules";

test.for<readonly [script: string, files: Readonly<Record<string, string>>, expected: object]>([
  [
    `tsc && node ${MODULES} node_modules/jest/bin/jest.js -c 'my jest.json' --ci`,
    JEST,
    { commandFlags: [MODULES], runnerFlags: ["-c", "my jest.json"] },
  ],
  [`cross-env NODE_OPTIONS=${MODULES} jest`, JEST, { commandFlags: [MODULES] }],
  [
    "mocha --require tsx -t 9000 'test/**/*.ts' --watch",
    MOCHA,
    { runnerFlags: ["--require", "tsx", "-t", "9000"] },
  ],
  ['node --import tsx --test "test/*.ts"', {}, { runner: "node", commandFlags: ["--import", "tsx"] }],
  ["tsx --test test/*.ts", {}, { runner: "node", commandFlags: ["--import", "tsx"] }],
  ["vitest run --config=other.ts --coverage", VITEST, { runnerFlags: ["--config=other.ts"] }],
])("options for node and the runner are kept of the script %s", async ([script, files, expected]) => {
  expect(await detect({ ...files, ...runs(script), "a.test.js": "" }, "a.test.js")).toMatchObject(expected);
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

test.for<readonly [files: Readonly<Record<string, string>>, says: RegExp]>([
  [{ "package.json": "{ broken" }, /did not detect.*a\.test\.ts.*config file.*tapedeck\.testCommand/s],
  [{ "a.test.ts": 'import { test } from "bun:test"' }, /bun:test.*tapedeck\.testCommand/s],
  [
    needs("vitest"),
    /vitest.*is not installed.*There is no node_modules\/vitest in \S+w and the folders above it\..*tapedeck\.testCommand/s,
  ],
])(
  "an undetectable, unknown, or missing runner is an error with the places searched: %j",
  async ([files, says]) => {
    const result = await detect(files, "a.test.ts");

    expect(isTapedeckError(result) && `${result.message} ${result.hint}`).toMatch(says);
  },
);

test("a test in another language is not started by the project's JavaScript runner", async () => {
  const result = await detect({ ...needs("vitest"), "a_test.go": "package a" }, "a_test.go");

  expect(isTapedeckError(result) && `${result.message} ${result.hint}`).toMatch(
    /a_test\.go is a test of Go, which Tapedeck cannot start.*tapedeck\.testCommand/s,
  );
});

const OWN_PYTHON = { hasPytest: async () => true, python: "/opt/py" };

test.for<readonly [by: string, files: readonly string[], file: string, expected: object, more?: object]>([
  [
    "pytest.ini, with the interpreter of the nearest environment",
    ["api/.venv/bin/python", "api/pytest.ini"],
    "api/tests/test_a.py",
    { cwd: join("/w", "api"), command: join("/w", "api/.venv/bin/python") },
  ],
  ["an import", [], "test_a.py", { cwd: "/w", command: "python3" }],
  ["conftest.py", ["conftest.py"], "a/test_a.py", {}],
  ["its installation", ["/v/bin/python"], "test_b.py", { command: "/opt/py" }, OWN_PYTHON],
])("Python: pytest is known by %s", async ([, files, file, expected, more]) => {
  const text = file === "test_a.py" ? "import pytest\n" : "";
  const all = { ...Object.fromEntries(files.map((name) => [name, ""])), [file]: text };

  expect(await detect(all, file, more)).toMatchObject({ runner: "pytest", ...expected });
});

/** Creates a folder on disk with Yarn's Plug'n'Play, whose script maps packages to their locations. */
function aPlugAndPlayFolder(script: string): string {
  const home = aFolder();
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  write(".pnp.cjs", script);
  write("packages/a/package.json", "{}");
  write("packages/a/a.test.js", 'import "@jest/globals"; import test from "node:test";');
  write("cache/jest/package.json", json({ version: "29.7.0", bin: "./bin/jest.js" }));
  return home;
}

const detectOnDisk = (home: string): Promise<unknown> =>
  detectRunner({
    file: join(home, "packages/a/a.test.js"),
    workspaceFolder: home,
    readFile: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    exists: async (path) => existsSync(path),
    ask: async (program, args) => {
      const { status, stdout } = spawnSync(program, args, { cwd: home, encoding: "utf8" });
      return status === 0 ? stdout.trim() : undefined;
    },
  });

test("Yarn's Plug'n'Play: the runner that the file's package names, loaded by the script", async () => {
  const home = aPlugAndPlayFolder(
    'require("node:module").findPnpApi = () => ({ resolveToUnqualified: (name) => __dirname + "/cache/" + name });',
  );
  const found = { runner: "jest", version: "29.7.0", entry: join(home, "cache/jest/bin/jest.js") };
  const required = ["--require", join(home, ".pnp.cjs")];

  expect(await detectOnDisk(home)).toMatchObject({ ...found, commandFlags: required });
  writeFileSync(join(home, ".pnp.loader.mjs"), "");
  expect(await detectOnDisk(home)).toMatchObject({
    ...found,
    commandFlags: [...required, "--experimental-loader", pathToFileURL(join(home, ".pnp.loader.mjs")).href],
  });
});

test("a script of Plug'n'Play that does not know the runner is as if it were not installed", async () => {
  const result = await detectOnDisk(aPlugAndPlayFolder(""));

  expect(isTapedeckError(result) && result.message).toMatch(
    /jest, which runs .*a\.test\.js, is not installed/,
  );
});

test("Python: an environment in the project comes before an activated one, and that before the path", async () => {
  const inProject = { "pyproject.toml": "[tool.pytest.ini_options]", "poetry.toml": "", "t/test_a.py": "" };
  const active = { virtualEnv: "/envs/active" };
  const files = { ...inProject, "/envs/active/bin/python": "" };

  expect(await detect({ ...files, ".venv/bin/python": "" }, "t/test_a.py", active)).toMatchObject({
    command: join("/w", ".venv/bin/python"),
  });
  expect(await detect(files, "t/test_a.py", active)).toMatchObject({
    command: join("/", "envs/active/bin/python"),
  });
  expect(await detect(inProject, "t/test_a.py", active)).toMatchObject({ command: "python3" });
});

test("Python: unittest when nothing speaks of pytest and it is not there; an error when the tests need it", async () => {
  const absent = { hasPytest: async () => false };
  const cases = "from unittest import TestCase\n";

  expect(await detect({ "p/__init__.py": "", "p/test_a.py": cases }, "p/test_a.py", absent)).toMatchObject({
    runner: "unittest",
    cwd: "/w",
    importFrom: "/w",
  });
  const missing = await detect({ "t/test_a.py": "import pytest" }, "t/test_a.py", absent);
  expect(isTapedeckError(missing) && `${missing.message} ${missing.hint}`).toMatch(
    /pytest.*is not installed for python3.*python3 -m pip install pytest.*tapedeck\.python/s,
  );
});
