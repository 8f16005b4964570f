import { NOTHING_AGAIN } from "../../../src/core/overview/again.ts";
import type { Overview } from "../../../src/core/overview/overview.ts";
import { sumsOfRun } from "../../../src/core/overview/run-sums.ts";
import { aRun } from "../../support/a-run.ts";
import { aCall } from "./a-run.ts";

/** An overview of thirty days with a run in each, of so many tests and models. */
export function anOverview({
  tests,
  models,
  isKnown = true,
}: {
  readonly tests: number;
  readonly models: number;
  readonly isKnown?: boolean;
}): Overview {
  const { all: sums, ...run } = sumsOfRun(
    aRun([
      aCall({ ms: 2, costUsd: 0.5, tokens: { input: 900, output: 100 }, recorded: { ms: 1_500 } }),
      aCall({ outcome: "recorded", ms: 900, costUsd: 0.25, tokens: { input: 90, output: 10 } }),
      aCall({ outcome: "miss" }),
    ]),
  );
  const known = (index: number) => ({
    ...NOTHING_AGAIN,
    recordings: 2,
    bytes: 2_000,
    ...(isKnown && { costUsd: index + 1, ms: 1_000 * (index + 1), timed: 2 }),
  });
  const parts = <T>(count: number, nameOf: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => ({ ...nameOf(index), sums, again: known(index) }));
  return {
    days: Array.from({ length: 30 }, (_, index) => ({
      day: `2026-11-${String(index + 1).padStart(2, "0")}`,
      runs: 1,
      sums,
    })),
    runs: 30,
    sums,
    latest: Array.from({ length: 30 }, (_, index) => ({ ...run, id: `run-${index}`, all: sums })),
    providers: parts(2, (index) => ({ provider: ["openai", "anthropic"][index] ?? "" })),
    models: parts(models, (index) => ({
      provider: "anthropic",
      model: `claude-sonnet-4-5-2025092${index}-with-a-name-that-is-long`,
    })),
    tests: parts(tests, (index) => ({
      test: {
        file: "tests/agents/in-a-folder/orders.test.ts",
        name: ["an agent that knows of orders and refunds", `asks for the number of an order: case ${index}`],
      },
    })),
    recordings: {
      again: { ...known(11), recordings: 1_200, unpriced: 7 },
      unreadable: ["calls/openai/00/0.json"],
      unused: [
        { entry: "calls/openai/00/1.json", bytes: 200 },
        { entry: "calls/openai/00/2.json", bytes: 100 },
      ],
      blobs: { files: 1, bytes: 3_000_000 },
    },
  };
}
