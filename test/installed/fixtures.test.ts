import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import { casesOf } from "../support/cases.ts";
import { aFolderBelow, typed } from "./support/typed.ts";

const ASK = `async ({ tapedeck }) => {
  const response = await tapedeck.fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] }),
  });
  if (!response.ok) throw new Error(await response.text());
}`;

const OPTIONS = "{ upstreams: { openai: process.env.STUB } }";
const byImport = (runner: string): string =>
  `import { tapedeckTest } from "llm-tapedeck/${runner}";
tapedeckTest(${OPTIONS})("asks", ${ASK});
`;
const byRequire = (runner: string): string =>
  `const { tapedeckTest } = require("llm-tapedeck/${runner}");
tapedeckTest(${OPTIONS})("asks", ${ASK});
`;

const JEST = "../node_modules/jest/bin/jest.js --colors=false";

test.each([
  ["vitest", "by import", "../node_modules/vitest/vitest.mjs run"],
  ["jest", "by require", JEST],
  ["node-test", "by import", "--test a.test.mjs"],
  ...casesOf({
    quick: [],
    long: [
      ["jest", "by import", `--experimental-vm-modules ${JEST}`],
      ["node-test", "by require", "--test a.test.cjs"],
    ],
  }),
])("the fixture of %s, %s, records and then replays", async (runner, how, command) => {
  const { origin, requests } = await anUpstream();
  const cwd = aFolderBelow({
    ...(how === "by import" ? { "a.test.mjs": byImport(runner) } : { "a.test.cjs": byRequire(runner) }),
    "jest.config.cjs": 'module.exports = { testMatch: ["**/a.test.*"], transform: {} };',
  });

  const recorded = await typed(`node ${command}`, { cwd, env: { TAPEDECK_MODE: "record", STUB: origin } });
  const replayed = await typed(`node ${command}`, { cwd, env: { STUB: origin } });

  const output = recorded.stdout + recorded.stderr + replayed.stdout + replayed.stderr;
  expect({ codes: [recorded.code, replayed.code], output }).toMatchObject({ codes: [0, 0] });
  expect(requests).toHaveLength(1);
  const recordings = readdirSync(join(cwd, ".tapedeck", "calls", "openai"), {
    recursive: true,
    encoding: "utf8",
  });
  expect(recordings.filter((name) => name.endsWith(".json"))).toHaveLength(1);
});
