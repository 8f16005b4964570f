import type { Outcome } from "../call.ts";
import type { RunCall } from "./run-record.ts";

/** Calls together. Times in milliseconds, costs in US dollars. */
export interface RunTotals {
  readonly calls: number;
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly costUsd: number;
  /** Calls whose tokens are known and whose price is not. */
  readonly unpriced: number;
}

/** What calls took, replayed ones what they took when they were recorded. */
export function totalsOf(calls: readonly RunCall[]): RunTotals {
  const counts: Partial<Record<Outcome, number>> = {};
  const sums = { input: 0, output: 0, cached: 0, costUsd: 0, unpriced: 0 };
  for (const { outcome, tokens, costUsd } of calls) {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    sums.input += tokens?.input ?? 0;
    sums.output += tokens?.output ?? 0;
    sums.cached += tokens?.cached ?? 0;
    sums.costUsd += costUsd ?? 0;
    if (tokens !== undefined && costUsd === undefined) sums.unpriced += 1;
  }
  return { calls: calls.length, counts, ...sums };
}
