import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { isTapedeckError } from "../../../src/core/errors.ts";
import { detectRunner } from "../../../src/editor/test-discovery/detect-runner-model.ts";

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

const REGISTRY = {
  packageRegistryData: [
    [null, [[null, { packageLocation: "./", packageDependencies: [["mocha", "npm:11.8.0"]] }]]],
    [
      "a",
      [
        [
          "workspace:packages/a",
          {
            packageLocation: "./packages/a/",
            packageDependencies: [
              ["jest", "virtual:0a#npm:29.7.0"],
              ["vitest", ["other-vitest", "npm:3.2.7"]],
              ["it's \\", null],
            ],
          },
        ],
      ],
    ],
    [
      "jest",
      [
        ["npm:29.7.0", { packageLocation: "./wrong/", packageDependencies: [] }],
        ["virtual:0a#npm:29.7.0", { packageLocation: "./.yarn/__virtual__/j/node_modules/jest/" }],
      ],
    ],
    ["other-vitest", [["npm:3.2.7", { packageLocation: "../cache/v.zip/node_modules/vitest/" }]]],
    ["mocha", [["npm:11.8.0", { packageLocation: "./.yarn/cache/m.zip/node_modules/mocha/" }]]],
  ],
};

/** The script as Yarn writes it: the state as a string in single quotes, each line continued. */
const SCRIPT = `#!/usr/bin/env node
const RAW_RUNTIME_STATE =
'${JSON.stringify(REGISTRY, undefined, 2).replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\\n")}';
function $$SETUP_STATE(hydrateRuntimeState, basePath) {}
`;

test("Yarn's Plug'n'Play: the runner that the file's package names, loaded by the script", async () => {
  const files = { ".pnp.cjs": SCRIPT, "package.json": "{}", "packages/a/package.json": "{}" };
  const importing = (name: string): Readonly<Record<string, string>> => ({
    ...files,
    "packages/a/src/a.test.js": `import "${name}";`,
  });

  expect(await detect(importing("@jest/globals"), "packages/a/src/a.test.js")).toMatchObject({
    runner: "jest",
    version: "29.7.0",
    commandFlags: ["--require", w(".pnp.cjs")],
    entry: w(".yarn/__virtual__/j/node_modules/jest/bin/jest.js"),
  });
  expect(await detect(importing("vitest"), "packages/a/src/a.test.js")).toMatchObject({
    entry: join("/", "cache/v.zip/node_modules/vitest/vitest.mjs"),
    version: "3.2.7",
  });
  expect(await detect(importing("mocha"), "packages/a/src/a.test.js")).toMatchObject({
    entry: w(".yarn/cache/m.zip/node_modules/mocha/bin/mocha.js"),
  });
});

test("Yarn's Plug'n'Play: with its loader for modules, and its state in a file of its own", async () => {
  const files = {
    ".pnp.cjs": "// the state is beside it",
    ".pnp.data.json": json(REGISTRY),
    ".pnp.loader.mjs": "",
    "packages/a/a.test.js": 'import "@jest/globals"; import test from "node:test";',
  };

  expect(await detect(files, "packages/a/a.test.js")).toMatchObject({
    runner: "jest",
    commandFlags: [
      "--require",
      w(".pnp.cjs"),
      "--experimental-loader",
      pathToFileURL(w(".pnp.loader.mjs")).href,
    ],
  });
});

test.each(["", "const RAW_RUNTIME_STATE = '{ torn';", "const RAW_RUNTIME_STATE = '[[1]]';"])(
  "a script of Plug'n'Play that cannot be read is as if the runner were not installed: %j",
  async (script) => {
    const result = await detect({ ".pnp.cjs": script, "a.test.js": 'import "mocha";' }, "a.test.js");

    expect(isTapedeckError(result) && result.message).toMatch(
      /mocha, which runs .*a\.test\.js, is not installed/,
    );
  },
);

test.each([
  ["pnpm-lock.yaml", "pnpm add --save-dev vitest"],
  ["yarn.lock", "yarn add --dev vitest"],
  ["package-lock.json", "npm install --save-dev vitest"],
  ["none", "npm install --save-dev vitest"],
])(
  "a runner that is not installed is named with the folder and the command to add it: %s",
  async (lock, add) => {
    const files = { [lock]: "", "packages/a/a.test.ts": 'import { it } from "vitest";' };

    const result = await detect(files, "packages/a/a.test.ts");

    const said = isTapedeckError(result) ? `${result.message} ${result.hint}` : "";
    expect(said).toContain(`Looked for node_modules/vitest in ${w("packages/a")} and all folders above it.`);
    expect(said).toContain(`(${add})`);
  },
);

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

test("Python: where pytest is missing, it is said for which interpreter, where it was looked for and what to do", async () => {
  const result = await detect({ "t/test_a.py": "import pytest" }, "t/test_a.py", {
    hasPytest: async () => false,
  });

  const said = isTapedeckError(result) ? `${result.message} ${result.hint}` : "";
  expect(said).toContain("is not installed for python3");
  expect(said).toContain(`Looked for .venv and venv from ${w("t")} up to ${w("")}`.replace(/\/$/, ""));
  expect(said).toContain("python3 -m pip install pytest");
});
