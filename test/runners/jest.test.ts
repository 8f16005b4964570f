import { expect, test } from "vitest";
import { hostileJavaScript } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import type { Dialect } from "./support/calling-tests.ts";
import { generations } from "./support/generations.ts";
import { expectExactlyOne, oneFile } from "./support/run-one.ts";
import { aCallingProject, aTemporaryProject, nameOf, packagesOf } from "./support/scene.ts";

const DIALECT: Dialect = {
  imports: 'import { afterAll, afterEach, beforeAll, beforeEach, describe, it, jest } from "@jest/globals";',
  concurrent: 'describe("together", () => {',
  concurrentTest: "it.concurrent",
  more: `
describe("tables", () => {
  it.each(["a b", "c > d"])("row %s", async (x) => {
    await chat(["tables", "row " + x]);
  });
});
describe("again", () => {
  jest.retryTimes(2);
  let runs = 0;
  it("until it works", async () => {
    await chat(["again", "until it works"]);
    if ((runs += 1) < 3) throw new Error("again");
  });
});
`,
};

const PACKAGES = ["jest", "@jest/globals"];
const CONFIG = `module.exports = { transform: { "\\\\.ts$": "@swc/jest" }, testEnvironment: "node" };`;
const swc = packagesOf("current", ["@swc/jest", "@swc/core"]);

test.each(
  generations([
    ["current", "30."],
    ["previous", "29."],
  ] as const),
)("%s jest attributes every call to its test, in TypeScript by swc", async (generation, major) => {
  const packages = { ...packagesOf(generation, PACKAGES), ...swc };
  const project = aCallingProject(DIALECT, packages, { "jest.config.js": CONFIG });

  const calls = await callsOf({
    project,
    command: process.execPath,
    args: [project.path("node_modules/jest/bin/jest.js"), "-w", "2"],
  });

  const name = nameOf(generation, "jest", major);
  expectRightTests(calls, {
    runner: "jest",
    name,
    sharedHooksByLine: generation === "previous",
    withoutLine: new Set(["message", "events", "timer"]),
  });
  expect(executionsOf(calls)).toMatchObject({
    "a.test.ts: alone": 1,
    "b.test.ts: together / one": 1,
    "a.test.ts: again / until it works": 3,
  });
});

test.each(generations(["current", "previous"] as const))(
  "%s jest runs exactly the test, the suite, the file that is asked for",
  async (generation) => {
    const source = hostileJavaScript('import fs from "node:fs";');
    const project = aTemporaryProject(
      {
        "package.json": '{ "devDependencies": { "jest": "*" } }',
        "jest.config.js": CONFIG,
        "sub/[id] a.test.ts": source,
        "sub/b.test.ts": source,
      },
      { ...packagesOf(generation, PACKAGES), ...swc },
    );

    const one = await oneFile(project, "sub/[id] a.test.ts");

    expect(one.runner.runner).toBe("jest");
    await expectExactlyOne(one, generation === "current" ? undefined : ["test", "lines"]);
  },
);
