import * as fc from "fast-check";
import { casesOf } from "../../../support/cases.ts";
import { describe, expect, it } from "vitest";
import { createUnusedJudge, type JudgedRecording } from "../../../../src/core/view/usage/unused.ts";
import type { TestRef } from "../../../../src/core/call/call.ts";
import { createUsageNotes, joinUsage } from "../../../../src/core/view/usage/usage-notes.ts";
import {
  NO_USAGE,
  mapUsersByEntry,
  listUses,
  type RecordingUsage,
  readUsageJson,
  convertUsageToJson,
} from "../../../../src/core/view/usage/usage.ts";
import { aCall, aTest, entryOf, keyOf } from "../../../editor/call-events.ts";

/** What tests ask for in a run: prompts in order; "!" is a call that no recording answers. */
type EntriesByTest = Readonly<Record<string, readonly string[]>>;

let clock = 1_000;

/** A run that begins when it is made; one time unit passes with every call. "" names calls of no test. */
function after(
  usage: RecordingUsage,
  asked: EntriesByTest,
  { passed = true, id = `run ${clock}` } = {},
): RecordingUsage {
  const notes = createUsageNotes({ id, at: (clock += 1) });
  for (const [title, prompts] of Object.entries(asked)) {
    for (const prompt of prompts) {
      const test = title === "" ? {} : { test: aTest(title, `${id} ${title}`) };
      const outcome = prompt === "!" ? "miss" : "replayed";
      notes.note(aCall(prompt, { ...test, outcome, at: (clock += 1) }));
    }
  }
  return joinUsage(usage, notes.whole(passed));
}

function aCase(name: string): TestRef {
  return { file: "t.py", name: [name] };
}

function recorded(prompt: string, title?: string): JudgedRecording {
  return {
    address: { entry: entryOf(prompt), key: keyOf(prompt) },
    recordedAt: 500,
    ...(title !== undefined && { test: aTest(title) }),
  };
}

function unused(usage: RecordingUsage, all: readonly JudgedRecording[], gone: readonly string[] = []) {
  const judge = createUnusedJudge(usage, {
    named: all.flatMap(({ test }) => test ?? []),
    isGone: ({ name }) => gone.includes(name.at(-1) ?? ""),
  });
  return all.flatMap((one) => {
    const why = judge(one);
    return why ? [`${one.address.entry === "" ? "" : promptOf(one)} by ${why.by} ${why.times}`] : [];
  });
}

function promptOf({ address }: JudgedRecording): string {
  return Buffer.from(address.key.slice("sha256:".length).replace(/(?:00)+$/, ""), "hex").toString();
}

describe("what tests use", () => {
  it("is known both ways, in order of use, of the last whole execution", () => {
    const first = after(NO_USAGE, { a: ["one", "two"], b: ["two"] });
    const usage = after(first, { a: ["three", "two", "three"] });

    const { entry } = { entry: entryOf("two") };
    expect(listUses(usage, aTest("a")).map((use) => use.entry)).toEqual([entryOf("three"), entryOf("two")]);
    expect(
      mapUsersByEntry(usage)
        .get(entry)
        ?.map(({ test }) => test.name.at(-1)),
    ).toEqual(["b", "a"]);
    expect(mapUsersByEntry(usage).get(entryOf("one"))).toBeUndefined();
  });

  it("grows by executions that were not whole, and loses nothing by them", () => {
    const whole = after(NO_USAGE, { a: ["one", "two"] });

    const missed = after(whole, { a: ["one", "!"] });
    const failed = after(whole, { a: ["three"] }, { passed: false });

    expect(listUses(missed, aTest("a")).map(({ entry }) => entry)).toEqual([entryOf("one"), entryOf("two")]);
    expect(listUses(failed, aTest("a"))).toHaveLength(3);
  });

  it("of a parametrized test is assigned to its cases, including calls attributed to the function", () => {
    const notes = createUsageNotes({ id: "run", at: 1 });
    for (const name of ["test_a[1]", "test_a[2]"])
      notes.note(aCall(name, { test: { ...aCase(name), id: `t.py::${name}` } }));

    const usage = joinUsage(NO_USAGE, notes.whole(true));
    expect(listUses(usage, aCase("test_a[1]")).map(({ entry }) => entry)).toEqual([entryOf("test_a[1]")]);
  });
});

describe("an unused recording", () => {
  const all = [recorded("one", "a"), recorded("two", "a"), recorded("other", "b"), recorded("free")];

  it("is not one that arrived on this machine after the runs, whenever it was recorded or used", () => {
    const usage = after(after(NO_USAGE, { a: ["one", "two"], b: ["other"] }), { a: ["one"], b: ["other"] });
    const pulled = all.map((one) => ({ ...one, arrivedAt: clock + 10 }));
    clock += 20;
    const since = after(usage, { a: ["one"], b: ["other"] });

    expect(unused(usage, all)).toEqual(["two by test 1", "free by runs 2"]);
    expect(unused(usage, pulled)).toEqual([]);
    expect(unused(since, pulled)).toEqual(["two by test 1", "free by runs 1"]);
  });

  it("is not one that another test used in its last run, however often its own test ran since", () => {
    const shared = after(NO_USAGE, { a: ["one", "two"], b: ["other", "two"] });
    const usage = after(after(shared, { a: ["one"] }), { a: ["one"] });

    expect(unused(usage, all)).toEqual(["free by runs 1"]);
    expect(unused(after(usage, { b: ["other"] }), all)).toContain("two by test 2");
  });

  it("without a test is determined only by runs of everything", () => {
    const partial = after(NO_USAGE, { a: ["one", "two"] });
    const everything = after(partial, { a: ["one", "two"], b: ["other"] });
    const again = after(everything, { a: ["one", "two"], b: ["other"] });
    const missed = after(partial, { a: ["one", "two"], b: ["other"], "": ["!"] });

    expect([partial, missed].map((usage) => unused(usage, all))).toEqual([[], []]);
    expect(unused(everything, all)).toEqual(["free by runs 1"]);
    expect(unused(again, all)).toEqual(["free by runs 2"]);
    expect(unused(after(again, { "": ["free"] }), all)).toEqual([]);
  });

  it("is not one that a program without known tests used, however often its other calls were made since", () => {
    const go = after(NO_USAGE, { "": ["free", "more"] });
    const selected = after(after(go, { "": ["more"] }), { "": ["more"] });
    const beside = after(selected, { a: ["one", "two"], b: ["other"] });

    expect(unused(selected, [recorded("free"), recorded("pulled")])).toEqual([]);
    expect(unused(beside, [...all, recorded("pulled")])).toEqual(["pulled by runs 1"]);
  });

  it("of a deleted test is determined by runs of everything that remains", () => {
    const usage = after(NO_USAGE, { b: ["other"], "": ["free"] });

    expect(unused(usage, all)).toEqual([]);
    expect(unused(usage, all, ["a"])).toEqual(["one by runs 1", "two by runs 1"]);
  });

  it("of a function's case is determined by its own runs, of the function by runs of all its cases", () => {
    const ran = (names: readonly string[], usage = NO_USAGE): RecordingUsage => {
      const notes = createUsageNotes({ id: `run ${clock}`, at: (clock += 1) });
      for (const name of names)
        notes.note(aCall(name, { at: (clock += 1), test: { ...aCase(name), id: name } }));
      return joinUsage(usage, notes.whole(true));
    };
    const ofCase = { ...recorded("old"), test: aCase("test_a[1]") };
    const ofFunction = { ...recorded("older"), test: aCase("test_a") };
    const both = ran(["test_a[1]", "test_a[2]"]);

    expect(unused(both, [ofCase, ofFunction])).toEqual(["old by test 1", "older by test 1"]);
    expect(unused(ran(["test_a[1]"], both), [ofCase, ofFunction])).toEqual([
      "old by test 2",
      "older by test 1",
    ]);
  });

  it("without a test is determined by runs of all tests, although scripts and cells run separately", () => {
    const outside = createUsageNotes({ id: "script", at: (clock += 1) });
    outside.note(aCall("one", { at: (clock += 1), test: { file: "scripts/ask.mjs", name: [] } }));
    outside.note(aCall("two", { at: (clock += 1), test: { file: "report.ipynb", name: ["cell 2"] } }));
    const scripts = joinUsage(NO_USAGE, outside.whole(true));

    const usage = after(scripts, { a: ["other"] });

    expect(unused(usage, [recorded("one"), recorded("two"), recorded("free")])).toEqual(["free by runs 1"]);
  });

  it("of a script is never unused while the script exists, because other arguments make other calls", () => {
    const test = { file: "ask.mjs", name: [] };
    const twice = ["run a", "run b"].reduce((usage, id) => {
      const notes = createUsageNotes({ id, at: (clock += 1) });
      notes.note(aCall("two", { at: (clock += 1), test }));
      return joinUsage(usage, notes.whole(true));
    }, NO_USAGE);

    expect(unused(twice, [{ ...recorded("one"), test }])).toEqual([]);
    expect(unused(twice, [{ ...recorded("one"), test: { ...test, runner: "vitest" } }])).toEqual([
      "one by test 2",
    ]);
  });

  it("is unused again once it was recorded again and not used", () => {
    const usage = after(NO_USAGE, { a: ["one"] });
    const renewed = { ...recorded("two", "a"), recordedAt: clock + 5 };
    clock += 10;

    expect(unused(usage, [renewed])).toEqual([]);
    expect(unused(after(usage, { a: ["one"] }), [renewed])).toEqual(["two by test 1"]);
  });
});

it("what is forgotten for want of room is never called unused because of it", () => {
  const limits = { runs: 5, tests: 100, entries: 3, usesOfTest: 2 };
  const notes = createUsageNotes({ id: "big", at: 10 });
  const prompts = ["p1", "p2", "p3", "p4", "p5"];
  for (const [index, prompt] of prompts.entries()) notes.note(aCall(prompt, { at: 20 + index }));

  const usage = joinUsage(NO_USAGE, notes.whole(true), limits);

  expect(usage.entries.size).toBe(3);
  expect(
    unused(
      usage,
      prompts.map((prompt) => recorded(prompt)),
    ),
  ).toEqual([]);
});

it("never calls unused what any test that is there used when it last ran, whatever happened", () => {
  const prompts = fc.array(fc.constantFrom(...PROMPTS, "!"), { maxLength: 3 });
  const run = fc.record({
    asked: fc.record({ a: prompts, b: prompts, c: prompts }, { requiredKeys: [], noNullPrototype: true }),
    passed: fc.constantFrom(true, true, true, false),
  });
  let claims = 0;
  fc.assert(
    fc.property(fc.array(run, { minLength: 2, maxLength: 8, size: "max" }), (runs) => {
      const all = PROMPTS.map((prompt, index) => recorded(prompt, ["a", "b", "c", "a", "b"][index]));
      let usage: RecordingUsage = NO_USAGE;
      for (const { asked, passed } of runs) usage = after(usage, asked, { passed });
      const lastAsked = new Set(
        (["a", "b", "c"] as const).flatMap(
          (title) => runs.findLast(({ asked }) => title in asked)?.asked[title] ?? [],
        ),
      );
      const called = unused(usage, all);
      claims += called.length;
      for (const claim of called) expect(lastAsked).not.toContain(claim.split(" ")[0]);
      expect(readUsageJson(JSON.parse(JSON.stringify(convertUsageToJson(usage))))).toEqual(usage);
    }),
    { numRuns: casesOf({ quick: 150, long: 500 }) },
  );
  // It is about one a story: stories in which nothing is claimed would show nothing.
  expect(claims).toBeGreaterThan(casesOf({ quick: 90, long: 300 }));
});

/** Those of the story in which anything happens; the last one is of no test. */
const PROMPTS = ["p", "q", "r", "s", "t", "u"];

it.each([
  undefined,
  null,
  7,
  [],
  "x",
  { version: 1 },
  { version: 2, tests: 7, runs: [[1]], entries: { a: "x" } },
])("a file that holds %j is no usage and no failure", (value) => {
  expect(readUsageJson(value)).toEqual(NO_USAGE);
});
