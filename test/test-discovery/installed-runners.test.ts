import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { isTapedeckError } from "../../src/core/base/errors.ts";
import { detectRunner } from "../../src/test-discovery/detect-runner.ts";
import { aFolder } from "../support/a-folder.ts";

/** A workspace in memory; paths are relative to it unless absolute. */
function detect(files: Readonly<Record<string, string>>, file: string, more: object = {}): Promise<unknown> {
  const home = join("/", "w");
  const at = (name: string): string => (name.startsWith("/") ? join(name) : join(home, name));
  const all = new Map(Object.entries(files).map(([name, text]) => [at(name), text]));
  return detectRunner({
    file: join(home, file),
    workspaceFolder: home,
    readFile: async (path) => all.get(path),
    exists: async (path) => all.has(path) || [...all.keys()].some((one) => dirname(one) === path),
    ...more,
  });
}
const w = (name: string): string => join("/", "w", name);
const json = JSON.stringify;

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

test("a runner that is not installed is named with the folder", async () => {
  const result = await detect(
    { "packages/a/a.test.ts": 'import { it } from "vitest";' },
    "packages/a/a.test.ts",
  );

  const said = isTapedeckError(result) ? `${result.message} ${result.hint}` : "";
  expect(said).toContain(`There is no node_modules/vitest in ${w("packages/a")} and the folders above it.`);
});

test("Python: an environment in the project comes before an activated one, and that before the path", async () => {
  const inProject = { "pyproject.toml": "[tool.pytest.ini_options]", "poetry.toml": "", "t/test_a.py": "" };
  const active = { virtualEnv: "/envs/active" };
  const files = { ...inProject, "/envs/active/bin/python": "" };

  expect(await detect({ ...files, ".venv/bin/python": "" }, "t/test_a.py", active)).toMatchObject({
    command: w(".venv/bin/python"),
  });
  expect(await detect(files, "t/test_a.py", active)).toMatchObject({
    command: join("/", "envs/active/bin/python"),
  });
  expect(await detect(inProject, "t/test_a.py", active)).toMatchObject({ command: "python3" });
});

test("Python: a missing pytest is reported with the interpreter, the places searched, and a hint", async () => {
  const result = await detect({ "t/test_a.py": "import pytest" }, "t/test_a.py", {
    hasPytest: async () => false,
  });

  const said = isTapedeckError(result) ? `${result.message} ${result.hint}` : "";
  expect(said).toContain("is not installed for python3");
  expect(said).toContain(
    `Tapedeck searched for .venv and venv from ${w("t")} up to ${w("")}`.replace(/\/$/, ""),
  );
  expect(said).toContain("python3 -m pip install pytest");
});
