import { localize } from "../../base/localize.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { CallEvent, Difference, Mode, Outcome, TestRef } from "../../call/call.ts";
import { getDeclaredName } from "../../call/test-names.ts";

/** A run as this machine keeps it, for its timeline. It has one line of each prompt and response, as rows show it. */
export interface RunRecord {
  /** Unique in its folder; sorts by age. */
  readonly id: string;
  /** Milliseconds since the epoch, of its first call. */
  readonly startedAt: number;
  readonly mode: Mode;
  /** The program that started it. */
  readonly source: RunSource;
  /** The command line, if it is known and contains no secret; otherwise the test that the run was started for. */
  readonly title?: string;
  /** Whether every test passed, if known. */
  readonly passed?: boolean;
  /** In the order in which they arrived. */
  readonly calls: readonly RunCall[];
  /** Number of calls that are not kept. */
  readonly left?: number;
}

/** Returns the name of a mode within a sentence. */
export function describeMode(mode: Mode): string {
  const names: Readonly<Record<Mode, string>> = {
    strict: localize("strict"),
    record: localize("record"),
    refresh: localize("refresh"),
    lenient: localize("lenient"),
    live: localize("live"),
  };
  return names[mode];
}

/** Returns the outcome of a call in words. */
export function describeOutcome(outcome: Outcome): string {
  const names: Readonly<Record<Outcome, string>> = {
    replayed: localize("replayed"),
    recorded: localize("recorded"),
    forwarded: localize("forwarded"),
    defaulted: localize("mocked"),
    miss: localize("missing"),
    refused: localize("refused"),
  };
  return names[outcome];
}

export type RunSource = "command" | "editor";

/** One call of a run. Times are in milliseconds. */
export interface RunCall extends Pick<CallEvent, "outcome" | "provider" | "operation" | "model" | "label"> {
  /** From the run's start to its arrival. */
  readonly at: number;
  /** From its arrival to its last byte. */
  readonly ms: number;
  /** From its arrival to the first byte of the upstream's response; absent if no upstream was called. */
  readonly firstByteMs?: number;
  /** The recorded response on one line, to tell similar turns apart: `look_up_order(A-1042)`. */
  readonly answered?: string;
  readonly test?: RunTest;
  readonly entry?: string;
  readonly key?: string;
  /** One line: how a miss differs from the nearest recording, or why the call was refused or not recorded. */
  readonly note?: string;
  /** The HTTP status of the upstream, or of the failure that the client received. */
  readonly status?: number;
  /** Tokens of its response, now or when it was recorded. */
  readonly tokens?: RunCallTokens;
  /** US dollars, now or when it was recorded; absent if the price is unknown. */
  readonly costUsd?: number;
  /** Timing of its response when it was recorded, if known. */
  readonly recorded?: RecordedTiming;
  /** Names of the recordings that its request continues, as origins have them: "3f9a2c41d07b". */
  readonly continues?: readonly string[];
}

export type RunTest = Pick<TestRef, "file" | "name" | "line">;

/** Whether a call belongs to a test, or to a test of a suite or file. */
export function isCallOf({ test }: RunCall, wantedTest: RunTest): boolean {
  if (test?.file !== wantedTest.file) return false;
  const titles = getDeclaredName(test);
  return getDeclaredName(wantedTest).every(
    (title, index) => titles[index] === title || test.name[index] === title,
  );
}

export interface RunCallTokens {
  readonly input?: number;
  readonly output?: number;
  /** Input tokens that came from the provider's cache. */
  readonly cached?: number;
}

/** Milliseconds from the request. */
export interface RecordedTiming {
  /** To the last byte. */
  readonly ms: number;
  readonly firstByteMs?: number;
  /** The time to the first byte is unknown, so all times count from there. */
  readonly isPartial?: true;
}

/**
 * Converts a call event for a run record, without the facts of its recording. `startedAt` is the start of the run, which
 * `sortRunRecord` corrects later.
 */
export function createRunCall(
  event: Omit<CallEvent, "miss" | "madeUp"> & MissDifferences,
  startedAt: number,
): RunCall {
  const { firstByteMs, model, test, entry, key, charge } = event;
  const note = noteOf(event);
  const status = event.upstreamStatus ?? event.failedWith?.status;
  return {
    at: Math.round(event.at - startedAt),
    ms: roundToTenths(event.ms),
    ...(firstByteMs !== undefined && { firstByteMs: roundToTenths(firstByteMs) }),
    outcome: event.outcome,
    provider: event.provider,
    operation: event.operation,
    ...pickDefined({ model }),
    label: event.label,
    ...(test && { test: testOf(test) }),
    ...(entry !== null && { entry }),
    ...(key !== null && { key }),
    ...(note !== undefined && { note: note.slice(0, LONGEST_NOTE) }),
    ...pickDefined({ status }),
    ...(charge !== undefined && charge.inputTokens + charge.outputTokens > 0 && chargedTo(charge)),
  };
}

/** Facts of a recording for a call that it answered. */
export type RecordedFacts = Pick<RunCall, "answered" | "tokens" | "costUsd" | "recorded" | "continues">;

/** Adds the facts of its recording to a call. Values that the run measured take precedence. */
export function completeCall(call: RunCall, facts: RecordedFacts): RunCall {
  const costUsd = call.costUsd ?? facts.costUsd;
  return {
    ...call,
    ...facts,
    ...((call.tokens ?? facts.tokens) && { tokens: { ...facts.tokens, ...call.tokens } }),
    ...pickDefined({ costUsd }),
  };
}

/** Sorts the calls of a run by arrival and moves its start to the first one. Calls are reported when they end. */
export function sortRunRecord(run: RunRecord): RunRecord {
  const calls = run.calls.toSorted((a, b) => a.at - b.at);
  const begin = calls[0]?.at ?? 0;
  return {
    ...run,
    startedAt: run.startedAt + begin,
    calls: begin === 0 ? calls : calls.map((call) => ({ ...call, at: call.at - begin })),
  };
}

const LONGEST_NOTE = 300;

/** The part of a miss that a note uses. */
interface MissDifferences {
  readonly miss?: {
    readonly nearest?: { readonly differences: readonly Pick<Difference, "kind" | "text">[] };
  };
}

function noteOf({ miss, reason }: MissDifferences & Pick<CallEvent, "reason">): string | undefined {
  const differences = miss?.nearest?.differences.map(withoutQuoted) ?? [];
  return differences.length > 0 ? differences.join(localize("; ")) : reason;
}

/** Leaves quoted prompt text out: `messages[0] (user) differs`, `messages[0] (user) added`. */
function withoutQuoted({ kind, text }: Pick<Difference, "kind" | "text">): string {
  const [start = "", ...quoted] = text.split('"');
  if (quoted.length === 0) return text;
  const place = start.replace(/[:：\s]+$/, "");
  // In a changed field, a sentence can also be added or removed.
  return kind === "changed" && text.includes(" → ") ? localize("{0} differs", place) : place;
}

function testOf({ file, name, line }: TestRef): RunTest {
  return { file, name, ...pickDefined({ line }) };
}

function chargedTo({
  inputTokens: input,
  outputTokens: output,
  costUsd,
  unpricedCalls,
}: NonNullable<CallEvent["charge"]>): Pick<RunCall, "tokens" | "costUsd"> {
  return { tokens: { input, output }, ...(unpricedCalls === 0 && { costUsd }) };
}

/** Rounds to tenths, because replays take less than a millisecond. */
const roundToTenths = (ms: number): number => Math.round(ms * 10) / 10;

/** Sums over calls. Costs are in US dollars. */
export interface RunTotals {
  readonly calls: number;
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly costUsd: number;
  /** Number of calls with known tokens and an unknown price. */
  readonly unpriced: number;
}

/** Counts calls by outcome. Outcomes without calls are left out. */
export function countByOutcome(
  calls: readonly { readonly outcome: Outcome }[],
): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of calls) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Sums up calls. Replayed calls count with the tokens and costs of their recordings. */
export function computeRunTotals(calls: readonly RunCall[]): RunTotals {
  const sums = { input: 0, output: 0, cached: 0, costUsd: 0, unpriced: 0 };
  for (const { tokens, costUsd } of calls) {
    sums.input += tokens?.input ?? 0;
    sums.output += tokens?.output ?? 0;
    sums.cached += tokens?.cached ?? 0;
    sums.costUsd += costUsd ?? 0;
    if (tokens !== undefined && costUsd === undefined) sums.unpriced += 1;
  }
  return { calls: calls.length, counts: countByOutcome(calls), ...sums };
}
