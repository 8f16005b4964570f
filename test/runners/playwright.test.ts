import { expect, test } from "vitest";
import { hostileJavaScript } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import type { Dialect } from "./support/calling-tests.ts";
import { expectExactlyOne, oneFile } from "./support/run-one.ts";
import { aCallingProject, aTemporaryProject, nameOf, packagesOf } from "./support/scene.ts";

const IMPORTS = 'import { test as it } from "@playwright/test";\nconst { describe } = it;';
const DIALECT: Dialect = {
  imports: `${IMPORTS}\nconst { afterAll, afterEach, beforeAll, beforeEach } = it;`,
  concurrent: 'describe("together", () => {\n  describe.configure({ mode: "parallel" });',
  namesakes: false, // Playwright refuses them
  more: `
describe("again", () => {
  describe.configure({ retries: 1 });
  it("until it works", async ({}, { retry }) => {
    await chat(["again", "until it works"]);
    if (retry < 1) throw new Error("again");
  });
});
`,
};
const CONFIG = `module.exports = { testDir: ".", workers: 2, fullyParallel: true, reporter: "line" };`;
const packages = packagesOf("current", ["@playwright/test"]);

test("Playwright without a browser attributes every call to its test", async () => {
  const project = aCallingProject(DIALECT, packages, { "playwright.config.js": CONFIG });

  const calls = await callsOf({
    project,
    command: process.execPath,
    args: [project.path("node_modules/@playwright/test/cli.js"), "test"],
  });

  const name = nameOf("current", "@playwright/test", "1.");
  expectRightTests(calls, {
    runner: "playwright",
    name,
    sharedHooksAreTests: true,
    withoutLine: new Set(["message", "events", "timer"]),
  });
  expect(executionsOf(calls)).toMatchObject({
    "a.test.ts: alone": 1,
    "b.test.ts: together / one": 1,
    "a.test.ts: again / until it works": 2,
  });
});

test("Playwright runs exactly the test, the suite, the file that is asked for", async () => {
  const source = hostileJavaScript(`${IMPORTS} import fs from "node:fs";`);
  const project = aTemporaryProject(
    {
      "package.json": "{}",
      "playwright.config.js": CONFIG,
      "sub/[id] a.spec.ts": source,
      "sub/b.spec.ts": source,
    },
    packages,
  );

  const one = await oneFile(project, "sub/[id] a.spec.ts");

  expect(one.runner.runner).toBe("playwright");
  await expectExactlyOne(one, ["test", "suite"]);
});
