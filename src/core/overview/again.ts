import { addNumbers } from "../add-numbers.ts";
import type { RecordingFacts } from "./recording-facts.ts";
import type { RecordedCost } from "../budget/spending.ts";

/** What recording again would take, by what it took before. */
export interface Again {
  readonly recordings: number;
  readonly bytes: number;
  /** US dollars of those whose price is known. */
  readonly costUsd: number;
  /** Those whose answers told of tokens, and whose price nobody knows. */
  readonly unpriced: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Milliseconds, one after the other, of those of which that is known. */
  readonly ms: number;
  readonly timed: number;
}

export const NOTHING_AGAIN: Again = {
  recordings: 0,
  bytes: 0,
  costUsd: 0,
  unpriced: 0,
  inputTokens: 0,
  outputTokens: 0,
  ms: 0,
  timed: 0,
};

/** A recording with what is known of it. */
export interface Costed {
  readonly entry: string;
  readonly provider: string;
  readonly bytes: number;
  /** Undefined for one that cannot be read. */
  readonly facts: RecordingFacts | undefined;
  /** Undefined where it told of no tokens, or came from this machine. */
  readonly cost: RecordedCost | undefined;
  /** Milliseconds; undefined where that is not known. */
  readonly ms: number | undefined;
}

export function allAgain(recordings: Iterable<Costed>): Again {
  const sum = { ...NOTHING_AGAIN };
  for (const { bytes, facts, cost, ms } of recordings) {
    sum.recordings += 1;
    sum.bytes += bytes;
    if (typeof cost === "number") sum.costUsd += cost;
    if (cost === "unknown") sum.unpriced += 1;
    sum.inputTokens += facts?.usage?.inputTokens ?? 0;
    sum.outputTokens += facts?.usage?.outputTokens ?? 0;
    sum.ms += ms ?? 0;
    if (ms !== undefined) sum.timed += 1;
  }
  return sum;
}

export const addAgain = (a: Again, b: Again): Again => addNumbers(NOTHING_AGAIN, a, b);
