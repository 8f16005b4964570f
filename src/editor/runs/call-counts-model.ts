import { joinList, localize } from "../../core/base/localize.ts";
import type { CallEvent, Outcome } from "../../core/call/call.ts";
import { formatCount } from "../../core/base/plural.ts";

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

export const countOutcomes = (events: readonly Counted[]): RunCounts =>
  events.reduce<RunCounts>(addOutcome, NO_COUNTS);

export function addOutcome(counts: RunCounts, { outcome, fault, isKeptElsewhere }: Counted): RunCounts {
  // Counted as the call to MetaGPT's cache that caused it.
  if (isKeptElsewhere === true) return counts;
  const name = outcome === "defaulted" && fault !== undefined ? "faulty" : COUNTED[outcome];
  return { ...counts, [name]: counts[name] + 1 };
}

/** `2 recorded, 1 replayed`, or `no calls`. */
export function formatCounts(counts: RunCounts): string {
  const { missed, recorded, replayed, forwarded, defaulted, faulty, refused } = counts;
  const parts = [
    [missed, localize("{0} missing", formatCount(missed))],
    [recorded, localize("{0} recorded", formatCount(recorded))],
    [replayed, localize("{0} replayed", formatCount(replayed))],
    [forwarded, localize("{0} forwarded", formatCount(forwarded))],
    [defaulted, localize("{0} made up", formatCount(defaulted))],
    [faulty, localize("{0} failed on purpose", formatCount(faulty))],
    [refused, localize("{0} refused", formatCount(refused))],
  ] as const;
  return joinList(parts.flatMap(([count, text]) => (count === 0 ? [] : [text]))) || localize("no calls");
}
