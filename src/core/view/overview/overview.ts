import { addNumbers } from "../../base/add-numbers.ts";
import {
  addSpending,
  NOTHING_SPENT,
  ONE_CALL,
  type RecordedCost,
  type Spending,
} from "../../call/spending.ts";
import type { Mode, Outcome } from "../../call/call.ts";
import { groupBy, mapGroups } from "../../base/group-by.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { leavesMachine } from "../../protocol/upstream-address.ts";
import type { RunCall, RunRecord } from "../run-record/run-record.ts";
import { getTestId } from "../../call/test-names.ts";
import type { TestRecordings } from "../usage/test-recordings.ts";
import type { UsageTest } from "../usage/usage.ts";

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

/** Estimated cost and time to record again, from the existing recordings. */
export interface RecordingSums {
  readonly recordings: number;
  readonly bytes: number;
  /** US dollars, for the recordings whose price is known. */
  readonly costUsd: number;
  /** Number of recordings with tokens whose price is unknown. */
  readonly unpriced: number;
  /** Milliseconds to record the `timed` recordings one after the other. */
  readonly ms: number;
  readonly timed: number;
}

/** The fields of a recording that the overview uses. */
export interface CountedRecording {
  readonly entry: string;
  readonly provider: string;
  readonly model?: string | undefined;
  readonly bytes: number;
  /** Whether the file cannot be read. */
  readonly isBroken?: boolean;
  /** Undefined if it used no tokens, or if its model ran on this machine. */
  readonly cost?: RecordedCost | undefined;
  /** Duration in milliseconds; undefined if unknown. */
  readonly ms?: number | undefined;
}

/** This machine's runs and a folder's recordings at a glance. Costs and savings are estimates: see `docs/runs.md`. */
export interface Overview {
  /** Every day of the period, oldest first, with or without runs. */
  readonly days: readonly DayRow[];
  readonly runs: number;
  readonly sums: CallSums;
  /** Runs of the period, newest first. */
  readonly latest: readonly RunRow[];
  /** Models in the period's calls and in the recordings, most expensive first. */
  readonly models: readonly PartRow<ModelName>[];
  readonly tests: readonly PartRow<{ readonly test: UsageTest }>[];
  readonly recordings: {
    readonly again: RecordingSums;
    /** Entries that cannot be read. */
    readonly unreadable: readonly string[];
    /** Entries that the last complete runs did not use, largest first; undefined until there was a complete run. */
    readonly unused: readonly { readonly entry: string; readonly bytes: number }[] | undefined;
  };
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

/** Totals of a period, with an estimate for recording again. */
export type PartRow<T> = T & { readonly sums: CallSums; readonly again: RecordingSums };

interface ModelName {
  readonly provider: string;
  /** Absent for calls without a model. */
  readonly model?: string;
}

export interface OverviewParts {
  readonly days: readonly string[];
  readonly runs: readonly RunRecord[];
  /** Returns the local date of a time in milliseconds since the epoch. */
  readonly dayOf: (at: number) => string;
  /** Returns a provider's address, if it has one. Calls to this machine are free. */
  readonly upstreamOf: (provider: string) => string | undefined;
  readonly recordings: readonly CountedRecording[];
  /** The recordings that each test uses. */
  readonly byTest: readonly Pick<TestRecordings, "test" | "uses">[];
  readonly unused: ReadonlySet<string> | undefined;
  /** Bytes of the parts of recordings that are stored in separate files. */
  readonly blobBytes: number;
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
const NO_RECORDINGS: RecordingSums = { recordings: 0, bytes: 0, costUsd: 0, unpriced: 0, ms: 0, timed: 0 };

export const countSummedCalls = ({ outcomes }: CallSums): number =>
  Object.values(outcomes).reduce((sum, count) => sum + count, 0);

/** Returns the number of calls that were sent upstream. */
export const countSentCalls = ({ outcomes }: CallSums): number => outcomes.recorded + outcomes.forwarded;

/** Returns the time that replays saved compared with the recorded calls; never negative. */
export const sumSavedMs = ({ recordedMs, replayedMs }: CallSums): number =>
  Math.max(0, recordedMs - replayedMs);

export function buildOverview(parts: OverviewParts): Overview {
  const { days, dayOf, recordings, unused, byTest, blobBytes } = parts;
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
  const byEntry = new Map(recordings.map((one) => [one.entry, one]));
  const again = sumRecordings(recordings);
  return {
    days: days.map((day) => {
      const own = byDay.get(day) ?? [];
      return { day, runs: own.length, sums: own.reduce((sum, one) => addCalls(sum, one.sums), NO_CALLS) };
    }),
    runs: runs.length,
    sums: sumCalls(calls, parts),
    latest: rows.toSorted((a, b) => b.at - a.at),
    models: joinParts(parts, groupCalls(calls, modelOf), groupRecordings(recordings)),
    tests: joinParts(
      parts,
      groupCalls(
        calls.filter(({ test }) => test !== undefined),
        identifyTest,
      ),
      byTest.map(({ test, uses }) => ({
        id: getTestId(test),
        name: { test },
        items: uses.flatMap(({ entry }) => byEntry.get(entry) ?? []),
      })),
    ),
    recordings: {
      again: { ...again, bytes: again.bytes + blobBytes },
      unreadable: recordings.filter(({ isBroken }) => isBroken === true).map(({ entry }) => entry),
      unused:
        unused &&
        recordings
          .filter(({ entry }) => unused.has(entry))
          .map(({ entry, bytes }) => ({ entry, bytes }))
          .sort((a, b) => b.bytes - a.bytes),
    },
  };
}

const NO_TEST: UsageTest = { file: "", name: [] };

/** Calls or recordings with the same name. */
interface NamedItems<N, T> {
  readonly id: string;
  readonly name: N;
  readonly items: readonly T[];
}

/** Without the line, so that calls of one test have equal names. */
function identifyTest({ test: { file, name } = NO_TEST }: RunCall): {
  readonly id: string;
  readonly name: { readonly test: UsageTest };
} {
  return { id: getTestId({ file, name }), name: { test: { file, name } } };
}

function modelOf({ provider, model }: Pick<RunCall | CountedRecording, "provider" | "model">): {
  readonly id: string;
  readonly name: ModelName;
} {
  return { id: `${provider}\n${model ?? ""}`, name: { provider, ...pickDefined({ model }) } };
}

function groupCalls<N, T>(
  items: readonly T[],
  nameOf: (item: T) => { readonly id: string; readonly name: N },
): readonly NamedItems<N, T>[] {
  return groupBy(items, (item) => nameOf(item).id).flatMap((group) =>
    group[0] === undefined ? [] : [{ ...nameOf(group[0]), items: group }],
  );
}

const groupRecordings = (
  recordings: readonly CountedRecording[],
): readonly NamedItems<ModelName, CountedRecording>[] => groupCalls(recordings, modelOf);

/** Returns a row for every name with calls, recordings, or both; most expensive first. */
function joinParts<N extends object>(
  parts: OverviewParts,
  calls: readonly NamedItems<N, RunCall>[],
  recordings: readonly NamedItems<N, CountedRecording>[],
): readonly PartRow<N>[] {
  const rows = new Map<string, PartRow<N>>();
  for (const { id, name, items } of calls)
    rows.set(id, { ...name, sums: sumCalls(items, parts), again: NO_RECORDINGS });
  for (const { id, name, items } of recordings)
    rows.set(id, { ...name, sums: rows.get(id)?.sums ?? NO_CALLS, again: sumRecordings(items) });
  return [...rows.values()].sort(
    (a, b) =>
      weightOf(b) - weightOf(a) ||
      countSummedCalls(b.sums) - countSummedCalls(a.sums) ||
      b.again.recordings - a.again.recordings,
  );
}

function weightOf({ sums, again }: PartRow<object>): number {
  return Math.max(again.costUsd, sums.paid.costUsd, sums.saved.costUsd);
}

function sumRecordings(recordings: readonly CountedRecording[]): RecordingSums {
  return recordings.reduce(
    (sum, { bytes, cost, ms }) =>
      addNumbers(NO_RECORDINGS, sum, {
        recordings: 1,
        bytes,
        costUsd: typeof cost === "number" ? cost : 0,
        unpriced: cost === "unknown" ? 1 : 0,
        ms: ms ?? 0,
        timed: ms === undefined ? 0 : 1,
      }),
    NO_RECORDINGS,
  );
}

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
