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
  const of = (name: keyof RunCounts): string => formatCount(counts[name] ?? 0);
  const texts: Readonly<Record<keyof RunCounts, string>> = {
    miss: localize("{0} missing", of("miss")),
    recorded: localize("{0} recorded", of("recorded")),
    replayed: localize("{0} replayed", of("replayed")),
    forwarded: localize("{0} forwarded", of("forwarded")),
    defaulted: localize("{0} made up", of("defaulted")),
    faulty: localize("{0} failed on purpose", of("faulty")),
    refused: localize("{0} refused", of("refused")),
  };
  const made = Object.entries(texts).filter(([name]) => (counts[name as keyof RunCounts] ?? 0) > 0);
  return joinList(made.map(([, text]) => text)) || localize("no calls");
}
