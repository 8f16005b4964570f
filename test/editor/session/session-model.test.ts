import { describe, expect, it } from "vitest";
import type { Mode } from "../../../src/core/call/call.ts";
import { countOutcomes } from "../../../src/editor/runs/call-counts-model.ts";
import { SessionModel } from "../../../src/editor/session/session-model.ts";
import { aCall, aTest, entryOf, keyOf } from "../call-events.ts";

/** A session after calls in record mode, each with its prompt and, if it differs, its mode: "one two:refresh". */
function after(calls: string): SessionModel {
  const model = new SessionModel();
  for (const call of calls.split(" ")) {
    const [prompt = "", mode = "record"] = call.split(":");
    model.addCall(aCall(prompt, { outcome: "recorded", mode: mode as Mode, test: aTest("a", "1") }));
  }
  return model;
}
const candidatesOf = (model: SessionModel): readonly string[] => [...model.candidates.keys()];

it("missing calls are counted, and go when one of their key appears", () => {
  const model = new SessionModel();
  for (const prompt of ["one", "two"]) model.addCall(aCall(prompt, { outcome: "miss" }));

  model.checkFolder({ answers: ({ key }) => key === keyOf("one"), hasEntry: () => true });

  expect(model.findings.map(({ label }) => label)).toEqual(['"two"']);
  expect(model.counts.miss).toBe(2);
});

describe("candidates", () => {
  it("are the recordings of record mode, with their test", () => {
    const model = after("one");

    model.addCall(aCall("two", { outcome: "replayed", mode: "record" }));

    expect(candidatesOf(model)).toEqual([entryOf("one")]);
    expect(model.candidates.get(entryOf("one"))?.test?.name).toEqual(["chat", "a"]);
  });

  it("include replacements of accepted recordings by refresh, marked as such", () => {
    const model = after("new accepted:refresh new:refresh");

    expect([...model.candidates.values()].map(({ replaces }) => replaces)).toEqual([undefined, true]);
  });

  it("get the results of their tests, as long as they are new", () => {
    const model = after("one two");
    model.removeCandidates([entryOf("two")]);

    const judged = model.setOutcome([entryOf("one"), entryOf("two")], "failed");

    expect(judged).toMatchObject([{ entry: entryOf("one"), outcome: "failed" }]);
    expect([...model.candidates.values()]).toEqual(judged);
  });

  it("are gone when accepted, when their file is gone, and when another window accepts them", () => {
    const model = after("one two three");

    model.removeCandidates([entryOf("one")]);
    model.checkFolder({ answers: () => true, hasEntry: (entry) => entry !== entryOf("two") });
    const left = candidatesOf(model);
    model.setCandidates([{ entry: entryOf("made elsewhere"), recordedAt: 2 }]);

    expect([left, candidatesOf(model)]).toEqual([[entryOf("three")], [entryOf("made elsewhere")]]);
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

    model.setUnreached("npm test", { cause: "mocked", reason: "It made none.", fix: "Make one." });
    const before = [model.unreached, model.unreachedWhy];
    model.addCall(aCall("x"));

    expect(before).toEqual(["npm test", "It made none. Make one."]);
    expect(model.unreached).toBeUndefined();
  });
});
