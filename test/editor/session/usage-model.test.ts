import { describe, expect, it } from "vitest";
import type { CallEvent, TestRef } from "../../../src/core/call/call.ts";
import { createUsageNotes, joinUsage } from "../../../src/core/view/usage/usage-notes.ts";
import { NO_USAGE } from "../../../src/core/view/usage/usage.ts";
import { createUsageModel, type TestName, type UsageModel } from "../../../src/editor/session/usage-model.ts";
import { aCall, aMiss, aTest, entryOf } from "../call-events.ts";

/** Lets a test ask in order; "!x" misses, "!x~y" misses with y as the nearest. */
function ran(model: UsageModel, test: TestRef, ...asked: readonly string[]): void {
  for (const ask of asked) model.note(callOf(ask, test), 0);
}

function callOf(ask: string, test: TestRef): CallEvent {
  if (!ask.startsWith("!")) return aCall(ask, { test });
  const [prompt = "", nearest] = ask.slice(1).split("~");
  return aCall(prompt, { test, outcome: "miss", miss: aMiss(prompt, nearest) });
}

/** Plays tests in order, such as "a1: one two | a2: !new~old". The number is the execution. */
function play(script: string): UsageModel {
  const model = createUsageModel();
  for (const part of script.split(" | ")) {
    const [, title = "", execution, asked = ""] = /^(\w)(\d): (.*)$/.exec(part) ?? [];
    ran(model, aTest(title, execution), ...asked.split(" "));
  }
  return model;
}

describe("the usage of recordings", () => {
  it("gives a test's entries in order of use, of its last execution only", () => {
    const model = play("a1: one two | a2: two three two");

    expect(model.entriesOf(aTest("a"))).toEqual([entryOf("two"), entryOf("three")]);
  });

  it("gives every test that used an entry", () => {
    const model = play("a1: shared | b2: shared");

    expect(model.testsOf(entryOf("shared")).map(({ name }) => name.at(-1))).toEqual(["a", "b"]);
  });

  it("distinguishes executions by run and stretch when a call does not name its own", () => {
    const model = createUsageModel();
    model.note(aCall("one", { test: aTest("a") }), 1);
    model.note(aCall("two", { test: aTest("a") }), 2);

    expect(model.entriesOf(aTest("a"))).toEqual([entryOf("two")]);
  });
});

describe("a stale recording", () => {
  const SHARED = "a1: shared | b1: shared | a2: !new~shared";

  it.each([
    ["is the nearest one of a call that its test missed", "a1: one two old | a2: !new~old", ["old"]],
    ["is not one that a test did not get to", "a1: one two | a2: one", []],
    ["is not one that another test still uses", SHARED, []],
    ["is one that no test uses any more", `${SHARED} | b2: !newer~shared`, ["shared"]],
    ["is none once it is used again", `${SHARED} | b2: !newer~shared | b3: shared`, []],
  ])("%s", (_, script, stale) => {
    const model = play(script);

    expect(["one", "two", "old", "shared"].filter((prompt) => model.isStale(entryOf(prompt)))).toEqual(stale);
  });

  it("marks its other takes as well: an unused first take means unused later ones", () => {
    const model = createUsageModel();
    const takes = [1, 2, 3].map((take) => entryOf("old", take));
    for (const entry of takes) model.note(aCall("old", { entry, test: aTest("a", "1") }), 0);

    ran(model, aTest("a", "2"), "!new~old");

    expect(takes.map((entry) => model.isStale(entry))).toEqual([true, true, true]);
  });

  it("keeps takes if one is still used, until a whole run skipped the others", () => {
    const model = createUsageModel();
    const takes = [1, 2, 3].map((take) => entryOf("roll", take));
    for (const entry of takes) model.note(aCall("roll", { entry, test: aTest("a", "1") }), 0);
    for (const entry of takes) model.learn(entry, { test: aTest("a"), recordedAt: "1970-01-01T00:00:00Z" });

    model.note(aCall("roll", { test: aTest("a", "2") }), 0);
    const before = takes.map((entry) => model.isStale(entry));
    model.setUsage(aWholeRun("a", "roll"), () => false);

    expect(before).toEqual([false, false, false]);
    expect(takes.map((entry) => model.isStale(entry))).toEqual([false, true, true]);
    expect(model.whyUnused(takes[2] ?? "")).toMatchObject({ by: "test", times: 1 });
  });
});

/** Returns the usage of a run in which this test passed with one call. */
function aWholeRun(title: string, prompt: string) {
  const notes = createUsageNotes({ id: "run", at: Date.UTC(2026, 0, 1) });
  notes.note(aCall(prompt, { test: aTest(title), at: Date.UTC(2026, 0, 1) }));
  return joinUsage(NO_USAGE, notes.whole(true));
}

describe("the usage of other runs of this machine", () => {
  it("answers when this window has seen nothing", () => {
    const model = createUsageModel();
    model.setUsage(aWholeRun("a", "one"), () => false);

    expect(model.entriesOf(aTest("a"))).toEqual([entryOf("one")]);
    expect(model.testsOf(entryOf("one"))).toEqual([aTest("a")]);

    ran(model, aTest("a", "2"), "two");

    expect(model.entriesOf(aTest("a"))).toEqual([entryOf("two")]);
  });

  it("names a moved test only until the test in its new place used the recording", () => {
    const model = createUsageModel();
    const old = aWholeRun("a", "one");
    const isMoved = ({ name }: TestName): boolean => name.at(-1) === "a";
    model.setUsage(old, isMoved);
    const before = model.testsOf(entryOf("one"));

    ran(model, aTest("b"), "one");

    expect([before, model.testsOf(entryOf("one"))]).toEqual([[aTest("a")], [aTest("b")]]);
  });

  it("still counts a recording as unused that was deleted and restored", () => {
    const model = createUsageModel();
    const origin = { test: aTest("a"), recordedAt: "2025-01-01T00:00:00Z" };
    model.setUsage(aWholeRun("a", "one"), () => false);
    model.learn(entryOf("two"), { ...origin, arrivedAt: 1 });

    model.restored(entryOf("two"));
    model.learn(entryOf("two"), { ...origin, arrivedAt: Date.UTC(2027, 0, 1) });

    expect(model.isStale(entryOf("two"))).toBe(true);
  });

  it("claims nothing of a recording that was not read, or that a test of this window uses", () => {
    const model = createUsageModel();
    model.setUsage(aWholeRun("a", "one"), () => false);
    const unread = model.isStale(entryOf("two"));
    model.learn(entryOf("two"), { test: aTest("a"), recordedAt: "2025-01-01T00:00:00Z" });
    const read = model.isStale(entryOf("two"));

    ran(model, aTest("a", "2"), "two");

    expect([unread, read, model.isStale(entryOf("two"))]).toEqual([false, true, false]);
  });
});
