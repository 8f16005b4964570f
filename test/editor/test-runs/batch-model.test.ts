import { describe, expect, it } from "vitest";
import type { CallEvent } from "../../../src/core/call/call.ts";
import { type EndedTest, describeBatch, isAllWell } from "../../../src/editor/test-runs/batch-model.ts";
import { aCall } from "../call-events.ts";

const ended = (title: string, passed: boolean, events: readonly CallEvent[] = []) => ({
  title,
  passed,
  events,
});

describe("the end of several tests that one command ran", () => {
  it("counts all of them, not only the last, and names those that failed", () => {
    const batch: EndedTest[] = [];
    batch.push(ended('"needs a key"', false, [aCall("hi", { outcome: "refused" })]));
    batch.push(ended('"is slow"', false, [aCall("hi", { outcome: "refused" })]));
    batch.push(ended('"answers"', true, [aCall("hi", { outcome: "recorded" })]));

    expect(describeBatch(batch, 3)).toBe(
      '3 tests: 1 passed, 2 failed · 1 recorded, 2 refused. Failed: "needs a key", "is slow".',
    );
    expect(isAllWell(batch, 3)).toBe(false);
  });

  it("reports those that were not run", () => {
    const batch: EndedTest[] = [];
    batch.push(ended('"answers"', true, [aCall("hi", { outcome: "recorded" })]));

    expect(describeBatch(batch, 2)).toBe("2 tests: 1 passed, 1 not run · 1 recorded.");
    expect(isAllWell(batch, 2)).toBe(false);
    expect(isAllWell(batch, 1)).toBe(true);
  });

  it("names three of many", () => {
    const batch: EndedTest[] = [];
    for (const title of ["a", "b", "c", "d", "e"]) batch.push(ended(title, false));

    expect(describeBatch(batch, 5)).toBe("5 tests: 5 failed · no calls. Failed: a, b, c, 2 more.");
  });
});
