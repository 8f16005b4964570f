import { expect, it } from "vitest";
import { NO_SUMS, type Sums } from "../../src/core/overview/sums.ts";
import { barsOf, barsText, dayText, MULTIPLES, type Multiple } from "../../src/pages/overview/days-model.ts";

const [calls] = MULTIPLES as readonly [Multiple];

function aDay(day: string, outcomes: Partial<Sums["outcomes"]>) {
  return { day, runs: 1, sums: { ...NO_SUMS, outcomes: { ...NO_SUMS.outcomes, ...outcomes } } };
}

it("a day's parts stand on each other, the highest day fills the picture", () => {
  const days = [
    aDay("2026-11-22", { replayed: 6, recorded: 2, miss: 2 }),
    aDay("2026-11-23", { replayed: 5 }),
  ];

  const { most, bars } = barsOf(days, calls);

  expect(most).toBe(10);
  expect(bars[0]?.parts).toEqual([
    { kind: "replayed", from: 0, to: 0.6 },
    { kind: "sent", from: 0.6, to: 0.8 },
    { kind: "missing", from: 0.8, to: 1 },
  ]);
  expect(bars[1]?.parts).toEqual([{ kind: "replayed", from: 0, to: 0.5 }]);
});

it("a part that is there is seen, however small its share is, and none leaves the picture", () => {
  const { bars } = barsOf([aDay("2026-11-23", { replayed: 100_000, miss: 1 })], calls);

  const [, missing] = bars[0]?.parts ?? [];
  expect(missing?.kind).toBe("missing");
  expect(Math.max(...(bars[0]?.parts ?? []).map(({ to }) => to))).toBeLessThanOrEqual(1);
});

it("days without a call have no bars", () => {
  const { most, bars } = barsOf([aDay("2026-11-23", {})], calls);

  expect([most, bars]).toEqual([0, [{ day: "2026-11-23", parts: [] }]]);
});

it("a picture is told as a sentence, and a day as people say it", () => {
  const days = [aDay("2026-11-22", { replayed: 1_200 }), aDay("2026-11-23", { replayed: 1 })];

  expect(barsText(days, calls)).toBe("Calls by day: replayed 1,201, sent 0, missing 0 in 2 days.");
  expect(dayText("2026-03-09")).toBe("9 Mar");
});
