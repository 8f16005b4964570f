import { describe, expect, it } from "vitest";
import { computeSpans } from "../../../../src/core/view/run-record/run-times.ts";
import { aRunCall } from "../../../support/a-run.ts";

const timed = (label: string, at: number, ms: number, recordedMs: number) =>
  aRunCall(label, {
    at,
    ms,
    recorded: { ms: recordedMs, firstByteMs: recordedMs / 2 },
  });

describe("calls in the time of their run", () => {
  it("are placed at their start, with the pause before them in their test", () => {
    const other = aRunCall("other", { at: 12, test: { file: "b.test.ts", name: ["b"] } });
    const spans = computeSpans(
      [aRunCall("a", { at: 0, ms: 10 }), other, aRunCall("b", { at: 40, ms: 5 })],
      "run",
    );

    expect(spans.map(({ start, end, pause }) => [start, end, pause])).toEqual([
      [0, 10, undefined],
      [12, 13, undefined],
      [40, 45, 30],
    ]);
  });

  it("have no pause when they overlap the call before", () => {
    const spans = computeSpans([aRunCall("a", { at: 0, ms: 50 }), aRunCall("b", { at: 20, ms: 5 })], "run");

    expect(spans[1]?.pause).toBeUndefined();
  });
});

describe("calls in recorded time", () => {
  it("take what their recordings took, with the pauses of the run between them", () => {
    const spans = computeSpans([timed("a", 0, 1, 2_000), timed("b", 11, 1, 500)], "recorded");

    expect(spans).toMatchObject([
      { start: 0, end: 2_000, firstByte: 1_000 },
      { start: 2_010, end: 2_510, firstByte: 2_260, pause: 10 },
    ]);
  });

  it("stay parallel if they were parallel, and later calls wait for the longest", () => {
    const calls = [timed("a", 0, 5, 900), timed("b", 1, 5, 3_000), timed("after", 10, 1, 100)];

    expect(computeSpans(calls, "recorded").map(({ start, end }) => [start, end])).toEqual([
      [0, 900],
      [1, 3_001],
      [3_005, 3_105],
    ]);
  });

  it("lists those without a recorded time", () => {
    const missed = aRunCall("a", { outcome: "miss" });
    const recordedNow = aRunCall("b", { outcome: "forwarded", firstByteMs: 1 });

    expect(computeSpans([missed, recordedNow], "recorded").map(({ isKnown }) => isKnown)).toEqual([
      false,
      true,
    ]);
  });
});
