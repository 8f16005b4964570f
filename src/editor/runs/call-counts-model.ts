import type { CallEvent, Outcome } from "../../core/call/call.ts";
import { countText } from "../../core/base/plural.ts";

export interface RunCounts {
  readonly replayed: number;
  readonly recorded: number;
  readonly forwarded: number;
  /** Answered by a mock. */
  readonly defaulted: number;
  /** Failed on purpose. */
  readonly faulty: number;
  readonly missed: number;
  readonly refused: number;
}

export const NO_COUNTS: RunCounts = {
  replayed: 0,
  recorded: 0,
  forwarded: 0,
  defaulted: 0,
  faulty: 0,
  missed: 0,
  refused: 0,
};

const COUNTED: Readonly<Record<Outcome, keyof RunCounts>> = {
  replayed: "replayed",
  recorded: "recorded",
  forwarded: "forwarded",
  defaulted: "defaulted",
  miss: "missed",
  refused: "refused",
};

type Counted = Pick<CallEvent, "outcome" | "fault" | "isKeptElsewhere">;

export const countsOf = (events: readonly Counted[]): RunCounts =>
  events.reduce<RunCounts>(addOutcome, NO_COUNTS);

export function addOutcome(counts: RunCounts, { outcome, fault, isKeptElsewhere }: Counted): RunCounts {
  // The call to MetaGPT's cache that it was sent for counts once.
  if (isKeptElsewhere === true) return counts;
  const name = outcome === "defaulted" && fault !== undefined ? "faulty" : COUNTED[outcome];
  return { ...counts, [name]: counts[name] + 1 };
}

/** `2 recorded, 1 replayed`, or `no calls`. */
export function countsText(counts: RunCounts): string {
  const { missed, recorded, replayed, forwarded, defaulted, faulty, refused } = counts;
  const parts = [
    { count: missed, word: "missing" },
    { count: recorded, word: "recorded" },
    { count: replayed, word: "replayed" },
    { count: forwarded, word: "forwarded" },
    { count: defaulted, word: "made up" },
    { count: faulty, word: "failed on purpose" },
    { count: refused, word: "refused" },
  ]
    .filter(({ count }) => count !== 0)
    .map(({ count, word }) => `${countText(count)} ${word}`);
  return parts.join(", ") || "no calls";
}
