import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTakeTurns } from "../../../src/storage/folder/take-turns.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("nothing is waited for while no turn is due", () => {
  const takeTurns = createTakeTurns();

  vi.advanceTimersByTime(7);
  const turns = Array.from({ length: 1_000 }, () => takeTurns());

  expect(turns.every((turn) => turn === undefined)).toBe(true);
});

it("a turn that is due is over when others had theirs, and the next one is due as long after it", async () => {
  const takeTurns = createTakeTurns();
  const order: string[] = [];
  setImmediate(() => order.push("another"));

  vi.advanceTimersByTime(8);
  await takeTurns();
  order.push("the work goes on");
  const next = takeTurns();
  vi.advanceTimersByTime(8);
  const later = takeTurns();
  await later;

  expect(order).toEqual(["another", "the work goes on"]);
  expect(next).toBe(undefined);
  expect(later).toBeInstanceOf(Promise);
});

it("a turn is what its user says that it is, and the time of it is nobody's work", async () => {
  const takeTurns = createTakeTurns(async () => void vi.advanceTimersByTime(100));

  vi.advanceTimersByTime(8);
  await takeTurns();

  expect(takeTurns()).toBe(undefined);
});
