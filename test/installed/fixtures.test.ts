import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import type { TestRef } from "../../src/index.ts";
import { casesOf } from "../support/cases.ts";
import { filesBelow } from "../support/files-below.ts";
import { aFolderBelow, typed } from "./support/typed.ts";

const ask = (text: string): string => `async ({ tapedeck }) => {
  const response = await tapedeck.fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: ${text} }] }),
  });
  if (!response.ok) throw new Error(await response.text());
}`;

const OPTIONS = "{ upstreams: { openai: process.env.STUB } }";
const tests = (options: string): string => `
tapedeckTest(${options})("asks", ${ask("process.env.SAY")});
tapedeckTest(${options})("asks again", ${ask('"again"')});
`;
const byImport = (runner: string, options = OPTIONS): string =>
  `import { tapedeckTest } from "llm-tapedeck/${runner}";${tests(options)}`;
const byRequire = (runner: string, options = OPTIONS): string =>
  `const { tapedeckTest } = require("llm-tapedeck/${runner}");${tests(options)}`;

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

  const env = { STUB: origin, SAY: "hello" };
  const recorded = await typed(`node ${command}`, { cwd, env: { ...env, TAPEDECK_MODE: "record" } });
  const replayed = await typed(`node ${command}`, { cwd, env });

  const output = recorded.stdout + recorded.stderr + replayed.stdout + replayed.stderr;
  expect({ codes: [recorded.code, replayed.code], output }).toMatchObject({ codes: [0, 0] });
  expect(requests).toHaveLength(2);
  const recordings = filesBelow(join(cwd, ".tapedeck", "calls", "openai"));
  expect(recordings.filter((name) => name.endsWith(".json"))).toHaveLength(2);
});

/** Starts faster than npx, which `command-line.test.ts` tries. */
const TAPEDECK = "node ../node_modules/llm-tapedeck/dist/cli.js";

/** Runs a command with recorded or missing calls under `tapedeck run`. Returns its report and its exit code. */
async function reported(options: string, command: string, cwd: string, env: Record<string, string>) {
  const { code, stdout, stderr } = await typed(
    `${TAPEDECK} run ${options} --report json=report.json -- node ${command}`,
    { cwd, env },
  );
  const output = stdout + stderr;
  const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as {
    readonly counts: Readonly<Record<string, number>>;
    readonly findings: readonly { readonly kind: string; readonly test: TestRef; readonly what: string }[];
  };
  return { code, output, ...report };
}

test.each([
  ["vitest", "../node_modules/vitest/vitest.mjs run"],
  ["jest", JEST],
  ["node-test", "--test a.test.mjs"],
])("in a run, calls of the fixture of %s follow its mode and are in its report", async (runner, command) => {
  const { options, requests } = await anUpstream();
  const file = runner === "jest" ? "a.test.cjs" : "a.test.mjs";
  const cwd = aFolderBelow({
    [file]: runner === "jest" ? byRequire(runner, "") : byImport(runner, ""),
    "jest.config.cjs": 'module.exports = { testMatch: ["**/a.test.*"], transform: {} };',
  });

  const record = `--dir .tapedeck --mode record ${options.join(" ")}`;
  const recorded = await reported(record, command, cwd, { SAY: "hello" });
  const missed = await reported("", command, cwd, { SAY: "goodbye" });

  expect(recorded).toMatchObject({ code: 0, counts: { recorded: 2, miss: 0 }, findings: [] });
  expect(missed).toMatchObject({ code: 1, counts: { replayed: 1, miss: 1 } });
  expect(missed.findings).toMatchObject([
    {
      kind: "missing",
      what: expect.stringContaining('("goodbye")'),
      test: { file, name: ["asks"], line: 3 },
    },
  ]);
  expect(missed.output).toContain(`✘ ${file}:3  asks`);
  expect(requests).toHaveLength(2);
});

test("in a run, a fixture with its own folder or mode answers its calls itself", async () => {
  const { origin, requests } = await anUpstream();
  const own = '{ dir: "own", mode: "record", upstreams: { openai: process.env.STUB } }';
  const cwd = aFolderBelow({ "a.test.mjs": byImport("node-test", own) });

  const { code, counts } = await reported("", "--test a.test.mjs", cwd, { STUB: origin, SAY: "hello" });

  expect({ code, counts }).toMatchObject({ code: 0, counts: { replayed: 0, miss: 0 } });
  expect(requests).toHaveLength(2);
  expect(existsSync(join(cwd, "own/calls"))).toBe(true);
});
