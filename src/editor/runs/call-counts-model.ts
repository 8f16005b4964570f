import type { CallEvent, Outcome } from "../../core/call.ts";

/** What became of calls: how many of each. */
export interface Counts {
  readonly replayed: number;
  readonly recorded: number;
  readonly forwarded: number;
  readonly defaulted: number;
  readonly missed: number;
  readonly refused: number;
}

export const NO_COUNTS: Counts = {
  replayed: 0,
  recorded: 0,
  forwarded: 0,
  defaulted: 0,
  missed: 0,
  refused: 0,
};

const COUNTED: Readonly<Record<Outcome, keyof Counts>> = {
  replayed: "replayed",
  recorded: "recorded",
  forwarded: "forwarded",
  defaulted: "defaulted",
  miss: "missed",
  refused: "refused",
};

export function countsOf(events: readonly Pick<CallEvent, "outcome">[]): Counts {
  return events.reduce<Counts>((counts, { outcome }) => addOutcome(counts, outcome), NO_COUNTS);
}

/** One more of an outcome. */
export function addOutcome(counts: Counts, outcome: Outcome): Counts {
  const name = COUNTED[outcome];
  return { ...counts, [name]: counts[name] + 1 };
}
