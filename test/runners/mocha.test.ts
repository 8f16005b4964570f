import { expect, test } from "vitest";
import { hostileJavaScript } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import type { Dialect } from "./support/calling-tests.ts";
import { generations } from "./support/generations.ts";
import { expectExactlyOne, oneFile } from "./support/run-one.ts";
import { aCallingProject, aTemporaryProject, nameOf, packagesOf } from "./support/scene.ts";

const DIALECT: Dialect = {
  imports:
    'import { after as afterAll, afterEach, before as beforeAll, beforeEach, describe, it } from "mocha";',
  concurrent: 'describe("together", () => {',
  more: `
let runs = 0;
it("again", async function () {
  this.retries(1);
  await chat(["again"]);
  if ((runs += 1) < 2) throw new Error("again");
});
`,
};

test.each(
  generations([
    ["current", "12.", []],
    ["previous", "11.", ["--parallel", "--jobs", "2"]],
  ] as const),
)("%s mocha attributes every call to its test, in TypeScript by tsx", async (generation, major, more) => {
  const packages = { ...packagesOf(generation, ["mocha"]), ...packagesOf("current", ["tsx"]) };
  const project = aCallingProject(DIALECT, packages);

  const calls = await callsOf({
    project,
    command: process.execPath,
    args: [project.path("node_modules/mocha/bin/mocha.js"), "--require", "tsx", ...more, "*.test.ts"],
  });

  const name = nameOf(generation, "mocha", major) + (more.length > 0 ? " in parallel" : "");
  expectRightTests(calls, { runner: "mocha", name, withoutLine: new Set(["message", "events", "timer"]) });
  expect(executionsOf(calls)).toMatchObject({
    "a.test.ts: alone": 1,
    "b.test.ts: together / one": 1,
    "a.test.ts: again": 2,
  });
});

test.each(generations(["current", "previous"] as const))(
  "%s mocha runs exactly the test, the suite, the file that is asked for, whatever its config lists",
  async (generation) => {
    const source = hostileJavaScript('import fs from "node:fs";');
    const other =
      'const fs = require("node:fs"); it("elsewhere", () => fs.appendFileSync(process.env.RAN, "elsewhere\\n"));';
    const project = aTemporaryProject(
      {
        "package.json": '{ "devDependencies": { "mocha": "*" } }',
        ".mocharc.json": '{ "spec": ["sub/b.cjs"], "require": "tsx" }',
        "sub/a.ts": source,
        "sub/b.cjs": other,
      },
      { ...packagesOf(generation, ["mocha"]), ...packagesOf("current", ["tsx"]) },
    );

    const one = await oneFile(project, "sub/a.ts");

    expect(one.runner.runner).toBe("mocha");
    await expectExactlyOne(one, generation === "current" ? undefined : ["test", "lines"]);
  },
);
