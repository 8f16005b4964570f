import { describe, expect, it } from "vitest";
import { overviewData, overviewRequestFrom } from "../../../src/core/overview/overview-data.ts";
import { anOverview } from "./an-overview.ts";

describe("what the page of an overview gets", () => {
  it("is no larger where a folder is", () => {
    const small = overviewData(anOverview({ tests: 5, models: 3 }), () => "2026-11-23");
    const large = overviewData(anOverview({ tests: 5_000, models: 900 }), () => "2026-11-23");

    expect(small.tests.dearest).toHaveLength(5);
    expect(large.tests).toMatchObject({ count: 5_000 });
    expect([large.tests.dearest.length, large.tests.slowest.length]).toEqual([10, 10]);
    expect(large.overview.models).toHaveLength(50);
    expect(large.recordings).toMatchObject({ unused: { count: 2, bytes: 300 }, unreadable: 1 });
  });

  it("has the dearest and the slowest tests first, and none of which nothing is known", () => {
    const { dearest, slowest } = overviewData(anOverview({ tests: 4, models: 1 }), () => "").tests;

    expect(dearest.map(({ again }) => again.costUsd)).toEqual([4, 3, 2, 1]);
    expect(slowest.map(({ again }) => again.ms)).toEqual([4_000, 3_000, 2_000, 1_000]);
    const unknown = overviewData(anOverview({ tests: 4, models: 1, isKnown: false }), () => "").tests;
    expect([unknown.dearest, unknown.slowest]).toEqual([[], []]);
  });
});

it.each([
  [{ type: "ready" }, { type: "ready" }],
  [
    { type: "period", days: 7 },
    { type: "period", days: 7 },
  ],
  [{ type: "period", days: 8 }, undefined],
  [{ type: "run", id: 3 }, undefined],
  [
    { type: "calls", part: { model: "m", test: { file: "a", name: [1] }, state: "odd", more: 1 } },
    { type: "calls", part: { model: "m" } },
  ],
  [
    { type: "calls", part: { test: { file: "a", name: ["b"] }, state: "stale" } },
    { type: "calls", part: { test: { file: "a", name: ["b"] }, state: "stale" } },
  ],
  [{ type: "delete" }, undefined],
  [null, undefined],
])("of %j a page asks %j", (message, request) => expect(overviewRequestFrom(message)).toEqual(request));
