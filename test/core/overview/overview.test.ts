import { expect, it } from "vitest";
import type { Costed } from "../../../src/core/overview/again.ts";
import { addRun, NO_DAY } from "../../../src/core/overview/day.ts";
import { overviewOf } from "../../../src/core/overview/overview.ts";
import { sumsOfRun } from "../../../src/core/overview/run-sums.ts";
import { callsIn } from "../../../src/core/overview/sums.ts";
import {
  againMoneyBasis,
  durationText,
  moneyText,
  outcomesText,
  savedMoneyBasis,
} from "../../../src/core/overview/texts.ts";
import { aRun } from "../../support/a-run.ts";
import { aCall } from "./a-run.ts";

const chat = { file: "chat.test.ts", name: ["answers"] };
const nothing = { days: [], noted: new Map(), recordings: [], byTest: [], unused: undefined };
const blobs = { files: 0, bytes: 0 };

function aRecording(entry: string, said: Partial<Costed> & { readonly model?: string } = {}): Costed {
  const { model = "gpt-4o", ...rest } = said;
  const facts = { operation: "chat.completions", model, recordedAt: 1 };
  return { entry, provider: "openai", bytes: 100, facts, cost: 0.5, ms: 1_000, ...rest };
}

it("has every day of the period, and sums of those in it alone", () => {
  const day = addRun(NO_DAY, sumsOfRun(aRun([aCall({})])));

  const { days, runs, sums } = overviewOf({
    ...nothing,
    days: ["2026-11-22", "2026-11-23"],
    noted: new Map([
      ["2026-11-23", day],
      ["2026-01-01", day],
    ]),
    blobs,
  });

  expect(days.map(({ day: name, runs: count }) => [name, count])).toEqual([
    ["2026-11-22", 0],
    ["2026-11-23", 1],
  ]);
  expect([runs, callsIn(sums)]).toEqual([1, 1]);
});

it("says what recording again would take, by model, provider and test, the dearest first", () => {
  const { recordings, models, providers, tests } = overviewOf({
    ...nothing,
    recordings: [
      aRecording("cheap", { model: "mini", cost: 0.1 }),
      aRecording("dear", { ms: undefined }),
      aRecording("odd", { provider: "mistral", model: "odd", cost: "unknown" }),
      aRecording("broken", { facts: undefined, cost: undefined, ms: undefined }),
    ],
    byTest: [{ test: chat, uses: ["dear", "cheap"].map((entry) => ({ entry, at: 1 })), replayedAt: 1 }],
    unused: new Set(["cheap", "dear"]),
    blobs,
  });

  expect(recordings.again).toMatchObject({ recordings: 4, bytes: 400, costUsd: 0.6, unpriced: 1, timed: 2 });
  expect(models.map(({ model, again }) => [model, again.costUsd])).toEqual([
    ["gpt-4o", 0.5],
    ["mini", 0.1],
    ["odd", 0],
    [undefined, 0],
  ]);
  expect(providers.map(({ provider, again }) => [provider, again.recordings])).toEqual([
    ["openai", 3],
    ["mistral", 1],
  ]);
  expect(tests).toMatchObject([{ test: chat, again: { recordings: 2, costUsd: 0.6, ms: 1_000 } }]);
  expect(recordings.unreadable).toEqual(["broken"]);
  expect(recordings.unused?.map(({ entry }) => entry)).toEqual(["cheap", "dear"]);
});

it("lists tests that ran and have no recording any more", () => {
  const run = sumsOfRun(aRun([aCall({ test: chat, outcome: "miss" })]));

  const { tests } = overviewOf({
    ...nothing,
    days: ["2026-11-23"],
    noted: new Map([["2026-11-23", addRun(NO_DAY, run)]]),
    blobs,
  });

  expect(tests).toMatchObject([{ test: chat, sums: { outcomes: { miss: 1 } }, again: { recordings: 0 } }]);
});

it.each([
  [0, "0.0 s"],
  [9_940, "9.9 s"],
  [59_400, "59 s"],
  [60_000, "1 min"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
])("%d ms are %s", (ms, text) => expect(durationText(ms)).toBe(text));

it("says on what a number is based, and claims no more", () => {
  const { all } = sumsOfRun(
    aRun([aCall({ costUsd: 1, tokens: { input: 1 } }), aCall({ tokens: { input: 1 } }), aCall({})]),
  );
  const again = overviewOf({ ...nothing, recordings: [aRecording("a", { cost: "unknown" })], blobs });

  expect(savedMoneyBasis(all)).toMatch(/^what 1 of 3 replayed calls cost when recorded/);
  expect(againMoneyBasis(again.recordings.again)).toContain("1 of unknown price");
  expect(moneyText({ costUsd: 0, unpriced: 3 })).toBe("unknown");
  expect(moneyText({ costUsd: 0, unpriced: 0 })).toBe("nothing");
  expect(outcomesText(all)).toBe("3 replayed");
});
