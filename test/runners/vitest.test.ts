import { expect, test } from "vitest";
import { hostileJavaScript } from "../fixtures/runners/hostile-tests.ts";
import { casesOf } from "../support/cases.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import type { Dialect } from "./support/calling-tests.ts";
import { generations } from "./support/generations.ts";
import { otherNode } from "./support/installed.ts";
import { expectExactlyOne, oneFile } from "./support/run-one.ts";
import { aCallingProject, aTemporaryProject, nameOf, packagesOf } from "./support/scene.ts";

const DIALECT: Dialect = {
  imports: 'import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "vitest";',
  concurrent: 'describe.concurrent("together", () => {',
  more: `
describe("tables", () => {
  it.each(["a b", "c > d"])("row %s", async (x) => {
    await chat(["tables", "row " + x]);
  });
  let runs = 0;
  it("again", { retry: 2 }, async () => {
    await chat(["tables", "again"]);
    if ((runs += 1) < 3) throw new Error("again");
  });
  it("repeated", { repeats: 1 }, async () => {
    await chat(["tables", "repeated"]);
  });
});
`,
};

/** Generations with a kind of worker. A short run tries the default. */
const WORKERS = [
  ["current", "4.", "forks"],
  ["current", "4.", "vmThreads"],
  ["previous", "3.", "threads"],
] as const;

test.each(casesOf<typeof WORKERS | [(typeof WORKERS)[0]]>({ quick: [WORKERS[0]], long: WORKERS }))(
  "%s vitest (%s) attributes every call to its test",
  async (generation, major, pool) => {
    const project = aCallingProject(DIALECT, packagesOf(generation, ["vitest"]));

    const calls = await callsOf({
      project,
      command: process.execPath,
      args: [project.path("node_modules/vitest/vitest.mjs"), "run", "--pool", pool, "--maxWorkers=2"],
    });

    const name = nameOf(generation, "vitest", major);
    expectRightTests(calls, { runner: "vitest", name, withoutLine: new Set(["message", "events", "timer"]) });
    expect(executionsOf(calls)).toMatchObject({
      "a.test.ts: alone": 1,
      "b.test.ts: together / one": 1,
      "a.test.ts: tables / again": 3,
      "b.test.ts: tables / repeated": 2,
    });
  },
);

test.each(generations(["current", "previous"] as const))(
  "%s vitest runs exactly the test, the suite, the file that is asked for",
  async (generation) => {
    const source = hostileJavaScript('import { describe, it } from "vitest"; import fs from "node:fs";');
    const project = aTemporaryProject(
      { "package.json": "{}", "sub/a.test.ts": source, "sub/b.test.ts": source },
      packagesOf(generation, ["vitest"]),
    );

    const one = await oneFile(project, "sub/a.test.ts");

    expect(one.runner.runner).toBe("vitest");
    await expectExactlyOne(one, generation === "current" ? undefined : ["test", "lines"]);
  },
);

const LIMITED = `import { it } from "vitest";
const waiting = [];
let timer;
function ask(how) {
  timer ??= setInterval(() => waiting.shift()?.(), 5);
  return new Promise((answer) => waiting.push(() => answer(fetch(process.env.SERVER_URL + "/x", { method: "POST", body: JSON.stringify({ how }) }))));
}
it("one", () => ask("one"));
it("two", () => ask("two"));
`;

test.skipIf(otherNode("node-24") === undefined)(
  "calls of a rate limiter that the first test started belong to the tests that wait for them: on Node 24 (needs Linux on x64)",
  async () => {
    const project = aTemporaryProject(
      { "package.json": "{}", "limited.test.mjs": LIMITED },
      packagesOf("current", ["vitest"]),
    );

    const calls = await callsOf({
      project,
      command: otherNode("node-24") ?? "",
      args: [project.path("node_modules/vitest/vitest.mjs"), "run"],
    });

    expect(calls.map(({ saying, test: named }) => [saying.how, named?.name.at(-1)])).toEqual([
      ["one", "one"],
      ["two", "two"],
    ]);
  },
);
