import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hookEnvironment } from "../../src/hooks/environment.ts";
import { callingTests, HELPER, type Dialect } from "../fixtures/runners/calling-tests.ts";
import { aProject, run, type Project } from "../fixtures/runners/project.ts";
import { aStandIn, type Arrived, type StandIn } from "../fixtures/runners/stand-in.ts";

// Each test starts several programs, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const hooksDir = resolve(import.meta.dirname, "../../src/hooks");
const PACKAGES = ["openai", "@anthropic-ai/sdk", "vitest", "mocha"];

let project: Project;
let server: StandIn;
beforeEach(async () => {
  server = await aStandIn(() => [project.dir]);
});
afterEach(async () => {
  await server.close();
  project.remove();
});

/** Runs a file of calling tests with the hooks and gives what arrived. */
async function callsOf(
  dialect: Dialect,
  args: (node: string) => readonly string[],
): Promise<readonly Arrived[]> {
  project = aProject(
    { "package.json": "{}", "tests/helper.mjs": HELPER, "tests/a.test.mjs": callingTests(dialect) },
    PACKAGES,
  );
  const { output, code } = await run(
    { command: process.execPath, args: args(join(project.dir, "node_modules")), cwd: project.dir },
    environment(),
  );
  if (code !== 0) throw new Error(output);
  return server.calls;
}

function environment(): Record<string, string> {
  const hooks = hookEnvironment({ hooksDir, url: server.url, roots: [project.dir], delimiter, base: {} });
  return { ...hooks, SERVER_URL: server.url };
}

/** The titles that the header names, beside what the call says of itself: equal for a call told right. */
function mistold(calls: readonly Arrived[]): readonly string[] {
  return calls
    .filter(({ said }) => said !== '["each"]')
    .map(({ said, test: told }) => [said, JSON.stringify(told?.name)])
    .filter(([said, told]) => said !== told)
    .map((pair) => pair.join(" told as "));
}

/** Titles, with the number of their executions. */
function executions(calls: readonly Arrived[]): Readonly<Record<string, number>> {
  const known = new Map<string, Set<string>>();
  for (const { test: told } of calls) {
    const name = told?.name.join(" / ") ?? "unknown";
    known.set(name, (known.get(name) ?? new Set()).add(told?.execution ?? "none"));
  }
  const all = [...known.values()].flatMap((ids) => [...ids]);
  expect(new Set(all).size).toBe(all.length);
  return Object.fromEntries([...known].map(([name, ids]) => [name, ids.size]));
}

/** The tests that made the each-hook's calls, in the order in which those arrived. */
const saidEach = (calls: readonly Arrived[]): readonly (string | undefined)[] =>
  calls.filter(({ said }) => said === '["each"]').map(({ test: told }) => told?.name.at(-1));

/** Where the first call of the test "alone" was made, and where its helper made it. */
function placeOf(calls: readonly Arrived[]): unknown {
  const first = calls.find(({ said }) => said === '["alone"]')?.test;
  return { file: first?.file, line: first?.line, at: first?.at };
}
const PLACE = { file: "tests/a.test.mjs", line: 4, at: { file: "tests/helper.mjs", line: 10 } };

test("vitest: every call is told to its test, concurrent ones and retries too", async () => {
  const more = `
describe("tables", () => {
  it.each(["a b", "c"])("row %s", async (x) => { await chat("tables", "row " + x); });
  let runs = 0;
  it("again", { retry: 2 }, async () => { await chat("tables", "again"); if ((runs += 1) < 3) throw new Error("again"); });
  it("repeated", { repeats: 1 }, async () => { await chat("tables", "repeated"); await raw("tables", "repeated"); });
});
`;
  const calls = await callsOf(
    {
      imports: 'import { beforeAll, beforeEach, describe, it } from "vitest";',
      beforeAll: "beforeAll",
      concurrent: 'describe.concurrent("together", () => {',
      more,
    },
    (modules) => [join(modules, "vitest/vitest.mjs"), "run"],
  );

  expect(mistold(calls)).toEqual([]);
  expect(calls).toHaveLength(2 + 1 + 2 + 3 + 1 + 12 + 2 + 3 + 4);
  expect(placeOf(calls)).toEqual(PLACE);
  expect(saidEach(calls)).toEqual(['it\'s "1+1" \\d \u00e9\u6f22 $HOME `word` !bang %PATH% -t', "timer"]);
  expect(executions(calls)).toMatchObject({
    alone: 1,
    "together / one": 1,
    "tables / again": 3,
    "tables / repeated": 2,
  });
});

test("mocha: every call is told to its test, retries too", async () => {
  const more = `
let runs = 0;
it("again", async function () { this.retries(1); await chat("again"); if ((runs += 1) < 2) throw new Error("again"); });
`;
  const calls = await callsOf(
    {
      imports: 'import { before, beforeEach, describe, it } from "mocha";',
      beforeAll: "before",
      concurrent: 'describe("together", () => {',
      more,
    },
    (modules) => [join(modules, "mocha/bin/mocha.js"), "tests/a.test.mjs"],
  );

  expect(mistold(calls)).toEqual([]);
  expect(calls).toHaveLength(2 + 1 + 2 + 3 + 1 + 12 + 2);
  expect(placeOf(calls)).toEqual(PLACE);
  expect(saidEach(calls)).toEqual(['it\'s "1+1" \\d \u00e9\u6f22 $HOME `word` !bang %PATH% -t', "timer"]);
  expect(executions(calls)).toMatchObject({ alone: 1, "together / one": 1, again: 2 });
});

test("node:test: every call is told to its test, concurrent ones and subtests too", async () => {
  const more = `
it("parent", async (t) => {
  await chat("parent");
  await t.test("sub > test", async () => { await message("parent", "sub > test"); });
});
`;
  const calls = await callsOf(
    {
      imports: 'import { before, beforeEach, describe, it } from "node:test";',
      beforeAll: "before",
      concurrent: 'describe("together", { concurrency: true }, () => {',
      more,
    },
    () => ["--test", "tests/a.test.mjs"],
  );

  expect(mistold(calls)).toEqual([]);
  expect(calls).toHaveLength(2 + 1 + 2 + 3 + 1 + 12 + 2);
  expect(placeOf(calls)).toEqual(PLACE);
  expect(saidEach(calls)).toEqual(['it\'s "1+1" \\d \u00e9\u6f22 $HOME `word` !bang %PATH% -t', "timer"]);
  expect(executions(calls)).toMatchObject({ alone: 1, "together / two": 1, "parent / sub > test": 1 });
});
