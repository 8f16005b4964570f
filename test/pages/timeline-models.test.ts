import { describe, expect, it } from "vitest";
import { findSpanOfTest, buildTimeline, type Row } from "../../src/pages/rows-model.ts";
import {
  computePan,
  computeZoom,
  formatDuration,
  listFacts,
  computeTicks,
} from "../../src/pages/facts-model.ts";
import { aLongRun, aRunCall } from "../support/a-run.ts";

const lines = (rows: readonly Row[]) =>
  rows.map((row) => (row.kind === "call" ? row.call.label : `# ${row.title}`));
const plain = { time: "run", search: "" } as const;

describe("the lines of a timeline", () => {
  it("are grouped by test, in the order of their first calls", () => {
    const other = { file: "b.test.ts", name: ["other"] };
    const calls = [aRunCall("a"), aRunCall("b", { test: other }), aRunCall("c")];

    expect(lines(buildTimeline(calls, plain).rows)).toEqual([
      "# agent › finds the order",
      "a",
      "c",
      "# other",
      "b",
    ]);
  });

  it("are those that have every word of a search, in the call or in its test", () => {
    const calls = [aRunCall("Where is it?"), aRunCall("Where was it?", { outcome: "miss", model: "gpt-5" })];
    const found = (search: string) => lines(buildTimeline(calls, { ...plain, search }).rows);

    expect(found("WHERE gpt-5")).toEqual(["# agent › finds the order", "Where was it?"]);
    expect(found("finds the order")).toHaveLength(3);
    expect(found("nobody")).toEqual([]);
    expect(found('"where is"')).toEqual(["# agent › finds the order", "Where is it?"]);
    expect(found('"is where')).toEqual([]);
    expect(buildTimeline(calls, { ...plain, search: "miss" }).hidden).toBe(1);
  });

  it("know the calls whose ids they continue, also those of another test", () => {
    const entry = (name: string): string => `openai/${name}${"0".repeat(52)}.json`;
    const other = { file: "b.test.ts", name: ["other"] };
    const calls = [
      aRunCall("root", { entry: entry("0123456789ab") }),
      aRunCall("next", { entry: entry("ba9876543210"), continues: ["0123456789ab"] }),
      aRunCall("there", { test: other, continues: ["ba9876543210", "ffffffffffff"] }),
    ];
    const { rows } = buildTimeline(calls, plain);
    const continued = rows.flatMap((row) =>
      row.kind === "call" ? [listFacts(row).find(([name]) => name === "Continues")?.[1]] : [],
    );

    expect(continued).toEqual([undefined, "1 root", "2 next"]);
  });

  it("have identities of their own, however many there are", () => {
    const { rows } = buildTimeline(aLongRun(1_000).calls, plain);

    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });
});

describe("a part of a run", () => {
  it("is never longer than the run, beyond its ends, or of no length", () => {
    expect(computeZoom({ from: 0, to: 100 }, { until: 100, factor: 2 })).toEqual({ from: 25, to: 75 });
    expect(computeZoom({ from: 25, to: 75 }, { until: 100, factor: 0.5 })).toBeUndefined();
    expect(computeZoom(computePan({ from: 80, to: 100 }, 0.5), { until: 100 })).toEqual({
      from: 80,
      to: 100,
    });
    expect(computeZoom({ from: 5, to: 5 }, { until: 100 })).toEqual({ from: 5, to: 5.1 });
  });

  it("keeps the time under the pointer where it is", () => {
    expect(computeZoom({ from: 0, to: 100 }, { until: 100, factor: 4, around: 20 })).toEqual({
      from: 15,
      to: 40,
    });
  });

  it("is all of a test, with its pauses", () => {
    const timeline = buildTimeline([aRunCall("a"), aRunCall("b", { at: 99 })], plain);

    expect(findSpanOfTest(timeline, 0)).toEqual({ from: -5, to: 105 });
  });
});

describe("figures", () => {
  it.each([
    [0, "0 ms"],
    [0.42, "0.4 ms"],
    [12.6, "13 ms"],
    [1_240, "1.24 s"],
    [59_940, "59.9 s"],
    [60_000, "1 min"],
    [123_000, "2 min 3 s"],
  ])("say %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("mark round times of an axis, as many as fit", () => {
    expect(computeTicks(0, 1_000, 5)).toEqual([0, 200, 400, 600, 800, 1_000]);
    expect(computeTicks(0.1, 0.5, 4)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(computeTicks(5, 5, 4)).toEqual([]);
  });

  it("of a call tell its times now and when it was recorded, its tokens and its cost", () => {
    const call = aRunCall("a", {
      tokens: { input: 1_200, output: 80, cached: 1_024 },
      costUsd: 0.0012,
      recorded: { ms: 2_000, firstByteMs: 500, marks: [500, 2_000] },
    });
    const row = buildTimeline([call], plain).rows[1];

    expect(row?.kind === "call" ? listFacts(row) : []).toEqual([
      ["Outcome", "replayed"],
      ["Call", "openai · chat.completions · gpt-4o-mini"],
      ["Test", "tests/agent.test.ts:7  agent › finds the order"],
      ["Start", "0 ms"],
      ["In this run", "1 ms"],
      ["When recorded", "2 s, first byte after 500 ms, as a stream"],
      ["Tokens", "1,200 in (1,024 cached), 80 out"],
      ["Cost", "about $0.0012"],
    ]);
  });
});
