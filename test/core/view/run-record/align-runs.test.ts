import { describe, expect, it } from "vitest";
import { alignRuns, formatDeparture, type Step } from "../../../../src/core/view/run-record/align-runs.ts";
import { aRunCall } from "../../../support/a-run.ts";

const calls = (...labels: readonly string[]) =>
  labels.map((label, index) => aRunCall(label, { at: 10 * index }));
const shown = (steps: readonly Step[] = []) =>
  steps.map(({ first, second, relation }) => `${first?.label ?? "-"} ${second?.label ?? "-"} ${relation}`);

describe("two runs side by side", () => {
  it("are the same when they ask the same in the same order", () => {
    const [test] = alignRuns(calls("a", "b"), calls("a", "b"));

    expect(shown(test?.steps)).toEqual(["a a same", "b b same"]);
    expect(test?.departure).toBeUndefined();
  });

  it("depart at the first call that is another one, and what follows is not claimed to be alike", () => {
    const [test] = alignRuns(calls("a", "b", "c"), calls("a", "x", "c", "d"));

    expect(shown(test?.steps)).toEqual(["a a same", "b x departs", "c c after", "- d after"]);
    expect(formatDeparture(test?.departure ?? { relation: "same" })).toEqual(["prompt “b” → “x”"]);
  });

  it("depart when one of them calls no further", () => {
    expect(shown(alignRuns(calls("a"), calls("a", "b"))[0]?.steps)).toEqual(["a a same", "- b departs"]);
    expect(shown(alignRuns(calls("a", "b"), calls("a"))[0]?.steps)).toEqual(["a a same", "b - departs"]);
  });

  it("are the same when calls at the same time only arrived in another order", () => {
    const [a, b] = [aRunCall("a", { at: 0, ms: 50 }), aRunCall("b", { at: 1, ms: 50 })];
    const turned = [
      { ...b, at: 0 },
      { ...a, at: 1 },
    ];

    expect(shown(alignRuns([a, b], turned)[0]?.steps)).toEqual(["a a same", "b b same"]);
  });

  it("depart when the same call is answered in one of them alone", () => {
    const missed = aRunCall("a", { outcome: "miss", note: "its recording was deleted" });
    const [test] = alignRuns([aRunCall("a")], [missed]);

    expect(formatDeparture(test?.departure ?? { relation: "same" })).toEqual([
      "response replayed → missed",
      "its recording was deleted",
    ]);
  });

  it("are aligned test by test, whichever ran first", () => {
    const of = (name: string, label: string) =>
      aRunCall(label, { test: { file: "a.test.ts", name: [name] } });
    const tests = alignRuns(
      [of("one", "a"), of("two", "b")],
      [of("two", "b"), of("one", "x"), of("three", "c")],
    );

    expect(tests.map(({ test, departure }) => [test?.name[0], departure !== undefined])).toEqual([
      ["one", true],
      ["two", false],
      ["three", true],
    ]);
  });
});
