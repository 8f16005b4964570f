import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { hostileJavaScript } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import type { Dialect } from "./support/calling-tests.ts";
import { otherNode } from "./support/installed.ts";
import { casesOf } from "../support/cases.ts";
import { itLong } from "../support/long.ts";
import { expectExactlyOne, oneFile, ranFor } from "./support/run-one.ts";
import { aCallingProject, aTemporaryProject, packagesOf } from "./support/scene.ts";

const DIALECT: Dialect = {
  imports:
    'import { after as afterAll, afterEach, before as beforeAll, beforeEach, describe, it } from "node:test";',
  concurrent: 'describe("together", { concurrency: true }, () => {',
  more: `
it("parent", async (t) => {
  await chat(["parent"]);
  await t.test("sub > test", async () => {
    await message(["parent", "sub > test"]);
  });
});
`,
};

const EXECUTED = {
  "a.test.ts: alone": 1,
  "b.test.ts: together / two": 1,
  "a.test.ts: parent / sub > test": 1,
};

/** The oldest version whose tests are distinguished, one that names a test's file by a URL, and those in use. */
const NODES = casesOf({
  quick: [],
  long: ["node-18", "node-20.11", "node-22", "node-24", "node-26"],
} as const);

/** The calls of two files in TypeScript, with what is asked of them. */
async function callsOn(command: string) {
  const project = aCallingProject(DIALECT, packagesOf("current", ["tsx"]));
  const args = ["--import", "tsx", "--test", "a.test.ts", "b.test.ts"];
  const calls = await callsOf({ project, command, args });
  const name = `node:test ${execFileSync(command, ["--version"]).toString().trim()}`;
  const withoutLine = new Set(["message", "events", "timer"] as const);
  return { calls, judging: { runner: "node", name, withoutLine } as const };
}

test("node:test attributes every call to its test, in TypeScript by tsx", async () => {
  const { calls, judging } = await callsOn(process.execPath);

  expectRightTests(calls, judging);
  expect(executionsOf(calls)).toMatchObject(EXECUTED);
});

test.skipIf(otherNode("node-26") === undefined).each(NODES)(
  "node:test attributes every call to its test on other Nodes: %s (needs Linux on x64)",
  async (node) => {
    const { calls, judging } = await callsOn(otherNode(node) ?? "");

    expectRightTests(calls, judging);
    expect(executionsOf(calls)).toMatchObject(EXECUTED);
  },
);

test("node:test runs exactly the test, the suite, the file that is asked for", async () => {
  const source = hostileJavaScript('import { describe, it } from "node:test"; import fs from "node:fs";');
  const project = aTemporaryProject(
    { "[id] a.test.ts": source, "b.test.ts": source },
    packagesOf("current", ["tsx"]),
  );

  const one = await oneFile(project, "[id] a.test.ts");

  expect(one.runner).toMatchObject({ runner: "node", command: "node", commandFlags: ["--import", "tsx"] });
  await expectExactlyOne(one);
});

const NAMESAKES = `import { describe, it } from "node:test"; import fs from "node:fs";
const ran = (name) => fs.appendFileSync(process.env.RAN, name + "\\n");
describe("one", () => {
  it("same", () => ran("wanted")); // wanted test
});
describe("other", () => {
  it("same", () => ran("namesake"));
});
`;

itLong(
  "node:test before 22 looks at one title at a time, so a namesake in another suite runs too",
  async () => {
    const project = aTemporaryProject({ "a.test.mjs": NAMESAKES });

    const names = await ranFor(await oneFile(project, "a.test.mjs"), "test");

    const isOld = Number.parseInt(process.versions.node, 10) < 22;
    expect(names).toEqual(isOld ? ["namesake", "wanted"] : ["wanted"]);
  },
);
