import { addNumbers } from "../add-numbers.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../budget/spending.ts";
import type { Outcome } from "../call.ts";

/** What calls came to: of a run, a day, a model, a test. Times are milliseconds. */
export interface Sums {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** What those took that left the machine. */
  readonly paid: Spending;
  readonly paidMs: number;
  /** What replayed ones took when they were recorded; its calls are those of which that is known. */
  readonly saved: Spending;
  /** Replayed ones of which it is known how long they took when they were recorded: how many, and how long then and now. */
  readonly timed: number;
  readonly recordedMs: number;
  readonly replayedMs: number;
}

export const NO_OUTCOMES: Sums["outcomes"] = {
  replayed: 0,
  recorded: 0,
  forwarded: 0,
  defaulted: 0,
  miss: 0,
  refused: 0,
};

export const NO_SUMS: Sums = {
  outcomes: NO_OUTCOMES,
  paid: NOTHING_SPENT,
  paidMs: 0,
  saved: NOTHING_SPENT,
  timed: 0,
  recordedMs: 0,
  replayedMs: 0,
};

export function addSums(a: Sums, b: Sums): Sums {
  return {
    outcomes: addNumbers(NO_OUTCOMES, a.outcomes, b.outcomes),
    paid: addSpending(a.paid, b.paid),
    paidMs: a.paidMs + b.paidMs,
    saved: addSpending(a.saved, b.saved),
    timed: a.timed + b.timed,
    recordedMs: a.recordedMs + b.recordedMs,
    replayedMs: a.replayedMs + b.replayedMs,
  };
}

export function callsIn({ outcomes }: Sums): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** Calls that left the machine, or may have. */
export const sentIn = ({ outcomes }: Sums): number => outcomes.recorded + outcomes.forwarded;

/** What replays were quicker by than the calls that they stand for; never below nothing. */
export const savedMs = ({ recordedMs, replayedMs }: Sums): number => Math.max(0, recordedMs - replayedMs);

/** As numbers in a row, since there are very many. */
export function sumsToJson(sums: Sums): readonly number[] {
  const { outcomes, paid, paidMs, saved, timed, recordedMs, replayedMs } = sums;
  const counts = OUTCOMES.map((name) => outcomes[name]);
  const [sent, spared] = [SPENT.map((name) => paid[name]), SPENT.map((name) => saved[name])];
  return [...counts, ...sent, paidMs, ...spared, timed, recordedMs, replayedMs].map(roundSum);
}

/** Reads what `sumsToJson` gave; undefined for anything else. */
export function sumsFromJson(value: unknown): Sums | undefined {
  if (!Array.isArray(value) || value.length !== NUMBERS || !value.every(isNumber)) return undefined;
  const left = value.values();
  const next = (): number => left.next().value ?? 0;
  const zerosBy = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
    Object.fromEntries(names.map((name) => [name, next()])) as Record<Name, number>;
  return {
    outcomes: zerosBy(OUTCOMES),
    paid: zerosBy(SPENT),
    paidMs: next(),
    saved: zerosBy(SPENT),
    timed: next(),
    recordedMs: next(),
    replayedMs: next(),
  };
}

/** In the order in which they are written. */
const OUTCOMES = ["replayed", "recorded", "forwarded", "defaulted", "miss", "refused"] as const;
const SPENT = [
  ...(["calls", "inputTokens", "outputTokens"] as const),
  ...(["costUsd", "unpricedCalls", "estimatedCalls"] as const),
] as const;

const NUMBERS = sumsToJson(NO_SUMS).length;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** What adding fractions leaves behind the ninth digit is noise, and long. */
function roundSum(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}
