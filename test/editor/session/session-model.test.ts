import { describe, expect, it } from "vitest";
import { countsOf } from "../../../src/editor/runs/call-counts-model.ts";
import { createSessionModel, type SessionModel } from "../../../src/editor/session/session-model.ts";
import { aCall, aTest, entryOf, keyOf } from "../call-events.ts";

const missingLabels = ({ state }: SessionModel): string[] => state.missing.map(({ miss }) => miss.label);

describe("missing calls", () => {
  it("are listed newest first, once for the same call of the same test, with how often", () => {
    const model = createSessionModel();

    model.called(aCall("one", { outcome: "miss", test: aTest("a", "1") }));
    model.called(aCall("two", { outcome: "miss", test: aTest("a", "1") }));
    model.called(aCall("one", { outcome: "miss", test: aTest("a", "1") }));

    expect(missingLabels(model)).toEqual(["one", "two"]);
    expect(model.state.missing.map(({ count }) => count)).toEqual([2, 1]);
  });

  it("are told apart by test", () => {
    const model = createSessionModel();

    model.called(aCall("one", { outcome: "miss", test: aTest("a", "1") }));
    model.called(aCall("one", { outcome: "miss", test: aTest("b", "2") }));

    expect(new Set(model.state.missing.map(({ id }) => id)).size).toBe(2);
  });

  it.each(["replayed", "recorded"] as const)("go for every test when their call is %s", (outcome) => {
    const model = createSessionModel();
    model.called(aCall("one", { outcome: "miss", test: aTest("a", "1") }));
    model.called(aCall("one", { outcome: "miss", test: aTest("b", "2") }));

    model.called(aCall("one", { outcome, test: aTest("b", "3") }));

    expect(missingLabels(model)).toEqual([]);
  });

  it("stay when their call is only passed on or answered by default", () => {
    const model = createSessionModel();
    model.called(aCall("one", { outcome: "miss" }));

    model.called(aCall("one", { outcome: "forwarded" }));
    model.called(aCall("one", { outcome: "defaulted" }));

    expect(missingLabels(model)).toEqual(["one"]);
  });

  it("go when their test runs again and asks for something else", () => {
    const model = createSessionModel();
    model.called(aCall("old", { outcome: "miss", test: aTest("a", "1") }));
    model.called(aCall("other test", { outcome: "miss", test: aTest("b", "1b") }));

    model.called(aCall("new", { outcome: "replayed", test: aTest("a", "2") }));

    expect(missingLabels(model)).toEqual(["other test"]);
  });

  it("stay while the same execution of their test goes on", () => {
    const model = createSessionModel();
    model.called(aCall("first", { outcome: "miss", test: aTest("a", "1") }));

    model.called(aCall("second", { outcome: "replayed", test: aTest("a", "1") }));

    expect(missingLabels(model)).toEqual(["first"]);
  });

  it("stay while two workers run their test at once, and go when it runs again", () => {
    const model = createSessionModel();
    const one = aTest("a", "1");
    const two = aTest("a", "2");
    const later = aTest("a", "3");
    model.called(aCall("first", { outcome: "miss", test: one }));
    model.called(aCall("first", { outcome: "miss", test: two }));
    model.called(aCall("second", { outcome: "miss", test: one }));
    model.called(aCall("first", { outcome: "miss", test: one }));
    model.called(aCall("second", { outcome: "miss", test: two }));

    expect(missingLabels(model).toSorted()).toEqual(["first", "second"]);
    model.called(aCall("third", { test: later }));
    expect(missingLabels(model)).toEqual([]);
  });

  it("of a test without executions go with the next stretch", () => {
    const model = createSessionModel();
    model.called(aCall("old", { outcome: "miss", test: aTest("a") }));

    model.stretchBegan();
    model.called(aCall("new", { outcome: "replayed", test: aTest("a") }));

    expect(missingLabels(model)).toEqual([]);
  });

  it("go when a recording of their key appears in the folder", () => {
    const model = createSessionModel();
    model.called(aCall("one", { outcome: "miss" }));
    model.called(aCall("two", { outcome: "miss" }));

    model.folderChanged({ answers: ({ key }) => key === keyOf("one"), hasEntry: () => true });

    expect(missingLabels(model)).toEqual(["two"]);
  });

  it("go when somebody dismisses them", () => {
    const model = createSessionModel();
    model.called(aCall("one", { outcome: "miss" }));

    model.dismissed(model.state.missing[0]?.id ?? "");

    expect(missingLabels(model)).toEqual([]);
  });

  it("are not made of a recording that cannot be read: there is one", () => {
    const model = createSessionModel();
    const { miss: _, ...broken } = aCall("one", { outcome: "miss" });

    model.called({ ...broken, reason: "The recording cannot be read." });

    expect(missingLabels(model)).toEqual([]);
    expect(model.state.counts.missed).toBe(1);
  });
});

describe("candidates", () => {
  it("are what record mode recorded, with their test", () => {
    const model = createSessionModel();

    model.called(aCall("one", { outcome: "recorded", mode: "record", test: aTest("a", "1") }));
    model.called(aCall("two", { outcome: "replayed", mode: "record" }));

    expect([...model.state.candidates.keys()]).toEqual([entryOf("one")]);
    expect(model.state.candidates.get(entryOf("one"))?.test?.name).toEqual(["chat", "a"]);
  });

  it("are also what refresh put in an accepted recording's place, and say so", () => {
    const model = createSessionModel();
    model.called(aCall("new", { outcome: "recorded", mode: "record" }));

    model.called(aCall("accepted", { outcome: "recorded", mode: "refresh" }));
    model.called(aCall("new", { outcome: "recorded", mode: "refresh" }));

    expect([...model.state.candidates.values()].map(({ replaces }) => replaces)).toEqual([undefined, true]);
  });

  it("are told how their tests ended, as long as they are new", () => {
    const model = createSessionModel();
    for (const prompt of ["one", "two"]) model.called(aCall(prompt, { outcome: "recorded", mode: "record" }));
    model.accepted([entryOf("two")]);

    const judged = model.judged([entryOf("one"), entryOf("two")], "failed");

    expect(judged).toMatchObject([{ entry: entryOf("one"), outcome: "failed" }]);
    expect([...model.state.candidates.values()]).toEqual(judged);
  });

  it("are gone when accepted, and when their file is gone", () => {
    const model = createSessionModel();
    for (const prompt of ["one", "two", "three"])
      model.called(aCall(prompt, { outcome: "recorded", mode: "record" }));

    model.accepted([entryOf("one")]);
    model.folderChanged({ answers: () => true, hasEntry: (entry) => entry !== entryOf("two") });

    expect([...model.state.candidates.keys()]).toEqual([entryOf("three")]);
  });

  it("are what all windows and programs of this machine remember", () => {
    const model = createSessionModel();
    model.called(aCall("accepted elsewhere", { outcome: "recorded", mode: "record" }));

    model.recalled([{ entry: entryOf("made elsewhere"), recordedAt: 2 }]);

    expect([...model.state.candidates.keys()]).toEqual([entryOf("made elsewhere")]);
  });
});

describe("counts and calls", () => {
  it("count every outcome, and start again with a stretch", () => {
    const model = createSessionModel();
    for (const outcome of ["replayed", "replayed", "miss", "refused", "defaulted"] as const)
      model.called(aCall("x", { outcome }));
    const before = model.state.counts;

    model.stretchBegan();
    model.called(aCall("y", { outcome: "recorded", mode: "record" }));

    expect(before).toEqual({
      replayed: 2,
      missed: 1,
      refused: 1,
      defaulted: 1,
      faulty: 0,
      recorded: 0,
      forwarded: 0,
    });
    expect(model.state.counts).toEqual(countsOf([{ outcome: "recorded" }]));
  });

  it("keep the newest thousand calls", () => {
    const model = createSessionModel();

    for (let id = 1; id <= 1_003; id += 1) model.called(aCall("x", { id }));

    expect(model.state.calls).toHaveLength(1_000);
    expect(model.state.calls.at(0)?.id).toBe(4);
    expect(model.state.calls.at(-1)?.id).toBe(1_003);
  });

  it("say what did not reach us until something does", () => {
    const model = createSessionModel();

    model.unreachedIs("npm test", { cause: "mocked", why: "It made none.", mend: "Make one." });
    const before = [model.state.unreached, model.state.unreachedWhy];
    model.called(aCall("x"));

    expect(before).toEqual(["npm test", "It made none. Make one."]);
    expect(model.state.unreached).toBeUndefined();
  });

  it("list the runs of their own that are under way", () => {
    const model = createSessionModel();

    model.runStarted({ id: "a", mode: "record" });
    model.runStarted({ id: "b", mode: "strict" });
    model.runEnded("a");

    expect(model.state.runs).toEqual([{ id: "b", mode: "strict" }]);
  });
});
