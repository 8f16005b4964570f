import { pickDefined } from "../../base/pick-defined.ts";
import type { CallEvent, Mode, Outcome, TestRef } from "../../call/call.ts";

/** What is kept of a run on this machine, and what its pictures are drawn from. Of prompts and replies it holds a line each, as rows show it. */
export interface RunRecord {
  /** Unique in its folder; sorts by age. */
  readonly id: string;
  /** Milliseconds since the epoch, of its first call. */
  readonly startedAt: number;
  readonly mode: Mode;
  /** Who began it. */
  readonly source: RunSource;
  /** The command line, where that is known and says no secret; else the test that it was begun for. */
  readonly title?: string;
  /** Whether all of it passed, where that is known. */
  readonly passed?: boolean;
  /** In the order in which they arrived. */
  readonly calls: readonly RunCall[];
  /** Calls beyond those that are kept. */
  readonly left?: number;
}

/** What became of calls, in the words of people. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  replayed: "replayed",
  recorded: "recorded",
  forwarded: "forwarded",
  defaulted: "made up",
  miss: "missed",
  refused: "refused",
};

export type RunSource = "command" | "editor";

/** One call of a run. Times are in milliseconds. */
export interface RunCall extends Pick<CallEvent, "outcome" | "provider" | "operation" | "model" | "label"> {
  /** From the run's start to its arrival. */
  readonly at: number;
  /** From its arrival to its last byte. */
  readonly ms: number;
  /** From its arrival to the first byte of the upstream's answer; absent where none was asked. */
  readonly firstByteMs?: number;
  /** What its recording answers, on one line: `look_up_order(A-1042)`. Turns of a conversation ask alike. */
  readonly answered?: string;
  readonly test?: RunTest;
  readonly entry?: string;
  readonly key?: string;
  /** Of a miss what differs from the nearest recording, else why the call was refused or not recorded. One line. */
  readonly note?: string;
  /** The HTTP status of the upstream, or of the failure that the client got. */
  readonly status?: number;
  /** What its answer took, now or when it was recorded. */
  readonly tokens?: RunCallTokens;
  /** US dollars, now or when it was recorded; absent where nobody knows the price. */
  readonly costUsd?: number;
  /** How its answer came when it was recorded; absent where that is not known. */
  readonly recorded?: RecordedTiming;
}

export type RunTest = Pick<TestRef, "file" | "name" | "line">;

export interface RunCallTokens {
  readonly input?: number;
  readonly output?: number;
  /** Those of the input that came from the provider's cache. */
  readonly cached?: number;
}

/** Milliseconds from the request. */
export interface RecordedTiming {
  /** To the last byte. */
  readonly ms: number;
  readonly firstByteMs?: number;
  /** Of a stream, when its events came: at most `MARKS`, in order. */
  readonly marks?: readonly number[];
  /** The way to the first byte is not known: times are those of the stream alone. */
  readonly isPartial?: true;
}

/**
 * A call as its run keeps it, before anything is known of its recording. `startedAt`: the run's, as far as it is known:
 * see `inOrder`.
 */
export function runCallOf(event: Omit<CallEvent, "miss" | "madeUp"> & Noted, startedAt: number): RunCall {
  const { firstByteMs, model, test, entry, key, charge } = event;
  const note = noteOf(event);
  const status = event.upstreamStatus ?? event.failedWith;
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
export type RecordedFacts = Pick<RunCall, "answered" | "tokens" | "costUsd" | "recorded">;

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

/** A run of calls as they were told of, which is as they ended: in the order of their arrival, from its first one. */
export function inOrder(run: RunRecord): RunRecord {
  const calls = run.calls.toSorted((a, b) => a.at - b.at);
  const begin = calls[0]?.at ?? 0;
  return {
    ...run,
    startedAt: run.startedAt + begin,
    calls: begin === 0 ? calls : calls.map((call) => ({ ...call, at: call.at - begin })),
  };
}

const LONGEST_NOTE = 300;

/** Of a miss only what differs is looked at. */
interface Noted {
  readonly miss?: { readonly nearest?: { readonly differences: readonly { readonly text: string }[] } };
}

function noteOf({ miss, reason }: Noted & Pick<CallEvent, "reason">): string | undefined {
  const differences = miss?.nearest?.differences.map(({ text }) => withoutQuoted(text)) ?? [];
  return differences.length > 0 ? differences.join("; ") : reason;
}

/** Of texts of prompts only where they differ: `messages[0] (user) differs`. */
function withoutQuoted(text: string): string {
  const [place = "", ...quoted] = text.split('"');
  return quoted.length === 0 ? text : `${place.replace(/[:\s]+$/, "")} differs`;
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

/** To tenths: replays take less than a millisecond. */
const roundToTenths = (ms: number): number => Math.round(ms * 10) / 10;

/** Calls together. Times in milliseconds, costs in US dollars. */
export interface RunTotals {
  readonly calls: number;
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly costUsd: number;
  /** Calls whose tokens are known and whose price is not. */
  readonly unpriced: number;
}

/** What calls took, replayed ones what they took when they were recorded. */
export function totalsOf(calls: readonly RunCall[]): RunTotals {
  const counts: Partial<Record<Outcome, number>> = {};
  const sums = { input: 0, output: 0, cached: 0, costUsd: 0, unpriced: 0 };
  for (const { outcome, tokens, costUsd } of calls) {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    sums.input += tokens?.input ?? 0;
    sums.output += tokens?.output ?? 0;
    sums.cached += tokens?.cached ?? 0;
    sums.costUsd += costUsd ?? 0;
    if (tokens !== undefined && costUsd === undefined) sums.unpriced += 1;
  }
  return { calls: calls.length, counts, ...sums };
}
