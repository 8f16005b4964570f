import { expect, it } from "vitest";
import { aProject } from "../cli/tapedeck.ts";
import { anAgent } from "./an-agent.ts";

const TESTS = `
import test, { describe } from "node:test";
test("outer", async (t) => {
  await t.test("middle", (t) => t.test("fails", () => { throw new Error("it ran"); }));
});
describe("suite", () => {
  test("passes", () => {});
  test("other", () => { throw new Error("not asked for"); });
});
`;

it("an agent runs a subtest of node:test, and learns that titles of no test ran nothing", async () => {
  const agent = await anAgent({ cwd: aProject({ "a.test.mjs": TESTS }) });
  const run = async (...test: readonly string[]) =>
    (await agent.use("tapedeck_run_test", { file: "a.test.mjs", test })).text;

  expect(await run("outer", "middle", "fails")).toContain("The test failed.");
  expect(await run("suite", "passes")).toContain("The test passed.");
  expect(await run("gone")).toContain("No test ran: the file has no test with these titles.");
});
