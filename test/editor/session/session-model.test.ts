import { describe, expect, it } from "vitest";
import { countOutcomes } from "../../../src/editor/runs/call-counts-model.ts";
import { SessionModel } from "../../../src/editor/session/session-model.ts";
import { aCall, aTest, entryOf, keyOf } from "../call-events.ts";

describe("missing calls", () => {
  it("are counted, and go when one of their key appears", () => {
    const model = new SessionModel();
    for (const prompt of ["one", "two"]) model.addCall(aCall(prompt, { outcome: "miss" }));

    model.checkFolder({ answers: ({ key }) => key === keyOf("one"), hasEntry: () => true });

    expect(model.findings.map(({ label }) => label)).toEqual(['"two"']);
    expect(model.counts.miss).toBe(2);
  });
});

describe("candidates", () => {
  it("are the recordings of record mode, with their test", () => {
    const model = new SessionModel();

    model.addCall(aCall("one", { outcome: "recorded", mode: "record", test: aTest("a", "1") }));
    model.addCall(aCall("two", { outcome: "replayed", mode: "record" }));

    expect([...model.candidates.keys()]).toEqual([entryOf("one")]);
    expect(model.candidates.get(entryOf("one"))?.test?.name).toEqual(["chat", "a"]);
  });

  it("include replacements of accepted recordings by refresh, marked as such", () => {
    const model = new SessionModel();
    model.addCall(aCall("new", { outcome: "recorded", mode: "record" }));

    model.addCall(aCall("accepted", { outcome: "recorded", mode: "refresh" }));
    model.addCall(aCall("new", { outcome: "recorded", mode: "refresh" }));

    expect([...model.candidates.values()].map(({ replaces }) => replaces)).toEqual([undefined, true]);
  });

  it("get the results of their tests, as long as they are new", () => {
    const model = new SessionModel();
    for (const prompt of ["one", "two"])
      model.addCall(aCall(prompt, { outcome: "recorded", mode: "record" }));
    model.removeCandidates([entryOf("two")]);

    const judged = model.setOutcome([entryOf("one"), entryOf("two")], "failed");

    expect(judged).toMatchObject([{ entry: entryOf("one"), outcome: "failed" }]);
    expect([...model.candidates.values()]).toEqual(judged);
  });

  it("are gone when accepted, and when their file is gone", () => {
    const model = new SessionModel();
    for (const prompt of ["one", "two", "three"])
      model.addCall(aCall(prompt, { outcome: "recorded", mode: "record" }));

    model.removeCandidates([entryOf("one")]);
    model.checkFolder({ answers: () => true, hasEntry: (entry) => entry !== entryOf("two") });

    expect([...model.candidates.keys()]).toEqual([entryOf("three")]);
  });

  it("are shared by all windows and programs of this machine", () => {
    const model = new SessionModel();
    model.addCall(aCall("accepted elsewhere", { outcome: "recorded", mode: "record" }));

    model.setCandidates([{ entry: entryOf("made elsewhere"), recordedAt: 2 }]);

    expect([...model.candidates.keys()]).toEqual([entryOf("made elsewhere")]);
  });
});

describe("counts and calls", () => {
  it("count every outcome, and start again with a stretch", () => {
    const model = new SessionModel();
    for (const outcome of ["replayed", "replayed", "miss", "refused", "defaulted"] as const)
      model.addCall(aCall("x", { outcome }));
    const before = model.counts;

    model.beginStretch();
    model.addCall(aCall("y", { outcome: "recorded", mode: "record" }));

    expect(before).toEqual({
      replayed: 2,
      miss: 1,
      refused: 1,
      defaulted: 1,
    });
    expect(model.counts).toEqual(countOutcomes([{ outcome: "recorded" }]));
  });

  it("report unreached tests until a call arrives", () => {
    const model = new SessionModel();

    model.setUnreached("npm test", { cause: "mocked", why: "It made none.", mend: "Make one." });
    const before = [model.unreached, model.unreachedWhy];
    model.addCall(aCall("x"));

    expect(before).toEqual(["npm test", "It made none. Make one."]);
    expect(model.unreached).toBeUndefined();
  });
});
