import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

const { libraryOf } = createRequire(import.meta.url)(join(rootDir, "src/hooks/javascript/mocks.cjs")) as {
  readonly libraryOf: (folder: string) => string | undefined;
};

const HELPERS = { "node_modules/@own/helpers/package.json": '{"dependencies": {"msw": "2"}}' };

it.each([
  ["its own", { "packages/a/package.json": '{"devDependencies": {"nock": "14"}}' }, "nock"],
  [
    "that of a package of its workspace",
    { ...HELPERS, "packages/a/package.json": '{"devDependencies": {"@own/helpers": "workspace:*"}}' },
    "msw",
  ],
  [
    "none of a package from elsewhere",
    { ...HELPERS, "packages/a/package.json": '{"devDependencies": {"@own/helpers": "^2.0.0"}}' },
    undefined,
  ],
  [
    "none of another project",
    { "package.json": '{"dependencies": {"msw": "2"}}', "packages/a/package.json": "{}" },
    undefined,
  ],
  ["none where a file is broken", { "packages/a/package.json": '{"dependencies": 1}' }, undefined],
] as const)("the library by which a project mocks is %s", (_, files, library) => {
  expect(libraryOf(join(aProject(files), "packages/a/src"))).toBe(library);
});

it("tests of a project that mocks by address have none of our keys, except when recording", async () => {
  const cwd = aProject({
    "package.json": '{"devDependencies": {"nock": "14"}}',
    ".tapedeck/calls/anthropic/.keep": "",
  });
  const print =
    "[process.env.OPENAI_API_KEY, process.env.ANTHROPIC_API_KEY].map((key) => key !== undefined).join()";

  const { stdout } = await tapedeck(["run", "--", process.execPath, "-p", print], { cwd });

  expect(stdout).toBe("false,true\n");
});

describe.each([
  ["in Node", [process.execPath, "-p", "String(process.env.AZURE_OPENAI_ENDPOINT)"]],
  [NEEDS_PYTHON, ["python3", "say.py"]],
])("in a project that mocks by address (%s), the address of an Azure resource", (where, command) => {
  it.skipIf(where === NEEDS_PYTHON && !hasPython).each([
    ["stays where the user has none, and what is recorded needs it", {}, "azure", /^http:\/\/127\.0\.0\.1/],
    [
      "is the user's own",
      { AZURE_OPENAI_ENDPOINT: "https://own.example" },
      "azure",
      /^https:\/\/own\.example\n$/,
    ],
    ["is taken back where nothing of it is recorded", {}, "openai", /^undefined\n$/],
  ])("%s", async (_, env, recorded, address) => {
    const cwd = aProject({
      "package.json": '{"devDependencies": {"nock": "14"}}',
      "respx.py": "",
      "say.py": "import os, respx; print(os.environ.get('AZURE_OPENAI_ENDPOINT', 'undefined'))",
      [`.tapedeck/calls/${recorded}/.keep`]: "",
    });

    const { stdout } = await tapedeck(["run", "--", ...command], { cwd, env });

    expect(stdout).toMatch(address);
  });
});
