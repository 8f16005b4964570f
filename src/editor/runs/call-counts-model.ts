import { joinList, localize } from "../../core/base/localize.ts";
import type { CallEvent, Outcome } from "../../core/call/call.ts";
import { formatCount } from "../../core/base/plural.ts";

/** Calls by outcome; those that failed on purpose are counted apart. Outcomes without calls are left out. */
export type RunCounts = Readonly<Partial<Record<Outcome | "faulty", number>>>;

type CountedCall = Pick<CallEvent, "outcome" | "fault" | "isKeptElsewhere">;

export const countOutcomes = (events: readonly CountedCall[]): RunCounts =>
  events.reduce<RunCounts>(addOutcome, {});

export function addOutcome(counts: RunCounts, { outcome, fault, isKeptElsewhere }: CountedCall): RunCounts {
  // Counted as the call to MetaGPT's cache that caused it.
  if (isKeptElsewhere === true) return counts;
  const name = outcome === "defaulted" && fault !== undefined ? "faulty" : outcome;
  return { ...counts, [name]: (counts[name] ?? 0) + 1 };
}

/** `2 recorded, 1 replayed`, or `no calls`. */
export function formatCounts(counts: RunCounts): string {
  const {
    miss = 0,
    recorded = 0,
    replayed = 0,
    forwarded = 0,
    defaulted = 0,
    faulty = 0,
    refused = 0,
  } = counts;
  const parts = [
    [miss, localize("{0} missing", formatCount(miss))],
    [recorded, localize("{0} recorded", formatCount(recorded))],
    [replayed, localize("{0} replayed", formatCount(replayed))],
    [forwarded, localize("{0} forwarded", formatCount(forwarded))],
    [defaulted, localize("{0} made up", formatCount(defaulted))],
    [faulty, localize("{0} failed on purpose", formatCount(faulty))],
    [refused, localize("{0} refused", formatCount(refused))],
  ] as const;
  return joinList(parts.flatMap(([count, text]) => (count === 0 ? [] : [text]))) || localize("no calls");
}
