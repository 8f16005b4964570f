import { addNumbers } from "../../base/add-numbers.ts";
import { addSpending, NOTHING_SPENT, ONE_CALL, type Spending } from "../../call/spending.ts";
import type { Mode, Outcome } from "../../call/call.ts";
import { mapGroups } from "../../base/group-by.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { leavesMachine } from "../../protocol/upstream-address.ts";
import type { RunCall, RunRecord } from "../run-record/run-record.ts";

/** Totals of calls. Times are milliseconds. */
export interface CallSums {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Spending of calls that were sent upstream. */
  readonly paid: Spending;
  /** Spending of replayed calls when they were recorded. Counts only calls whose tokens are known. */
  readonly saved: Spending;
  /** Number of replayed calls whose recorded duration is known. */
  readonly timed: number;
  /** Duration of these calls when they were recorded. */
  readonly recordedMs: number;
  /** Duration of their replays. */
  readonly replayedMs: number;
}

/** This machine's runs at a glance. Costs and savings are estimates: see `docs/runs.md`. */
export interface Overview {
  /** Every day of the period, oldest first, with or without runs. */
  readonly days: readonly DayRow[];
  readonly runs: number;
  readonly sums: CallSums;
  /** Runs of the period, newest first. */
  readonly latest: readonly RunRow[];
  /** Models in the period's calls, most expensive first. */
  readonly models: readonly ModelRow[];
}

export interface DayRow {
  /** "2026-11-23". */
  readonly day: string;
  readonly runs: number;
  readonly sums: CallSums;
}

export interface RunRow {
  readonly id: string;
  /** Time of its first call, in milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds from then to the end of its last call. */
  readonly ms: number;
  readonly mode: Mode;
  readonly sums: CallSums;
}

export interface ModelRow {
  readonly provider: string;
  /** Absent for calls without a model. */
  readonly model?: string;
  readonly sums: CallSums;
}

export interface OverviewParts {
  readonly days: readonly string[];
  readonly runs: readonly RunRecord[];
  /** Returns the local date of a time in milliseconds since the epoch. */
  readonly dayOf: (at: number) => string;
  /** Returns a provider's address, if it has one. Calls to this machine are free. */
  readonly upstreamOf: (provider: string) => string | undefined;
}

export const NO_OUTCOMES: CallSums["outcomes"] = {
  replayed: 0,
  recorded: 0,
  forwarded: 0,
  defaulted: 0,
  miss: 0,
  refused: 0,
};
const NO_CALLS: CallSums = {
  outcomes: NO_OUTCOMES,
  paid: NOTHING_SPENT,
  saved: NOTHING_SPENT,
  timed: 0,
  recordedMs: 0,
  replayedMs: 0,
};
export const countSummedCalls = ({ outcomes }: CallSums): number =>
  Object.values(outcomes).reduce((sum, count) => sum + count, 0);

/** Returns the number of calls that were sent upstream. */
export const countSentCalls = ({ outcomes }: CallSums): number => outcomes.recorded + outcomes.forwarded;

/** Returns the time that replays saved compared with the recorded calls; never negative. */
export const sumSavedMs = ({ recordedMs, replayedMs }: CallSums): number =>
  Math.max(0, recordedMs - replayedMs);

export function buildOverview(parts: OverviewParts): Overview {
  const { days, dayOf } = parts;
  const inPeriod = new Set(days);
  const runs = parts.runs.filter(({ startedAt }) => inPeriod.has(dayOf(startedAt)));
  const rows = runs.map((run): RunRow => ({
    id: run.id,
    at: run.startedAt,
    ms: Math.max(0, ...run.calls.map(({ at, ms }) => at + ms)),
    mode: run.mode,
    sums: sumCalls(run.calls, parts),
  }));
  const calls = runs.flatMap((run) => run.calls);
  const byDay = mapGroups(rows, ({ at }) => dayOf(at));
  return {
    days: days.map((day) => {
      const own = byDay.get(day) ?? [];
      return { day, runs: own.length, sums: own.reduce((sum, one) => addCalls(sum, one.sums), NO_CALLS) };
    }),
    runs: runs.length,
    sums: sumCalls(calls, parts),
    latest: rows.toSorted((a, b) => b.at - a.at),
    models: listModels(calls, parts),
  };
}

function listModels(calls: readonly RunCall[], parts: OverviewParts): readonly ModelRow[] {
  return [...mapGroups(calls, ({ provider, model = "" }) => `${provider}\n${model}`).values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { provider, model } = first;
      return [{ provider, ...pickDefined({ model }), sums: sumCalls(group, parts) }];
    })
    .sort((a, b) => weightOf(b) - weightOf(a) || countSummedCalls(b.sums) - countSummedCalls(a.sums));
}

const weightOf = ({ sums }: ModelRow): number => Math.max(sums.paid.costUsd, sums.saved.costUsd);

function sumCalls(calls: readonly RunCall[], { upstreamOf }: Pick<OverviewParts, "upstreamOf">): CallSums {
  return calls.reduce((sum, call) => addCalls(sum, sumsOf(call, upstreamOf(call.provider))), NO_CALLS);
}

function addCalls(a: CallSums, b: CallSums): CallSums {
  return {
    outcomes: addNumbers(NO_OUTCOMES, a.outcomes, b.outcomes),
    paid: addSpending(a.paid, b.paid),
    saved: addSpending(a.saved, b.saved),
    timed: a.timed + b.timed,
    recordedMs: a.recordedMs + b.recordedMs,
    replayedMs: a.replayedMs + b.replayedMs,
  };
}

function sumsOf(call: RunCall, upstream: string | undefined): CallSums {
  const { outcome, ms, recorded } = call;
  const isFree = upstream !== undefined && !leavesMachine(upstream);
  const sums = { ...NO_CALLS, outcomes: { ...NO_OUTCOMES, [outcome]: 1 } };
  if (outcome === "recorded" || outcome === "forwarded")
    return { ...sums, paid: spendingOf(call, isFree) ?? ONE_CALL };
  if (outcome !== "replayed") return sums;
  return {
    ...sums,
    saved: spendingOf(call, isFree) ?? NOTHING_SPENT,
    ...(recorded && { timed: 1, recordedMs: recorded.ms, replayedMs: ms }),
  };
}

/** Returns the spending of a call, or undefined if neither its tokens nor its cost are known. */
function spendingOf({ tokens, costUsd }: RunCall, isFree: boolean): Spending | undefined {
  if (tokens === undefined && costUsd === undefined) return undefined;
  return {
    ...ONE_CALL,
    inputTokens: tokens?.input ?? 0,
    outputTokens: tokens?.output ?? 0,
    costUsd: costUsd ?? 0,
    unpricedCalls: costUsd === undefined && !isFree ? 1 : 0,
  };
}
