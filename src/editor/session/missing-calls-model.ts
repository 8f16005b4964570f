import type { CallEvent, MadeUp, Miss, TestRef } from "../../core/call.ts";
import { renamedTest } from "./test-ref-model.ts";
import { testId } from "./usage-model.ts";

/** A call that no recording answered, and nothing since. A mock may have. */
export interface MissingCall {
  /** The same for the same key missed by the same test. */
  readonly id: string;
  readonly miss: Miss;
  /** What it got, where that was made up. */
  readonly madeUp?: MadeUp;
  readonly test?: TestRef;
  /** Milliseconds since the epoch, of the last time. */
  readonly at: number;
  readonly count: number;
}

/** Outstanding misses by their ids, oldest first, each with the execution of its test that made it last. */
export type MissingCalls = Map<string, MissingCall & { readonly execution: string }>;

interface SeenMisses {
  readonly missing: MissingCalls;
  readonly executions: Executions;
  /** Calls that say nothing of their test belong to a stretch. */
  readonly stretch: number;
}

/** Takes a call in: a miss is outstanding until its call is answered, or its test ran again without it. */
export function noteMiss(seen: SeenMisses, event: CallEvent): void {
  noteOutstanding(seen, event, event.miss && { miss: event.miss });
}

/** Takes a call in that was given a made-up answer: it counts until its call is answered, or its test ran again without it. */
export function noteMadeUp(seen: SeenMisses, event: CallEvent): void {
  const { madeUp } = event;
  noteOutstanding(seen, event, madeUp && { miss: madeUp.call, madeUp });
}

function noteOutstanding(
  { missing, executions, stretch }: SeenMisses,
  event: CallEvent,
  found: Pick<MissingCall, "miss" | "madeUp"> | undefined,
): void {
  const execution = event.test?.execution ?? `${event.run}/${stretch}`;
  const test = event.test && testId(event.test);
  executions.seen(execution);
  for (const [id, one] of missing) {
    const answered =
      one.miss.key === event.key && (event.outcome === "replayed" || event.outcome === "recorded");
    const ranAgain =
      test !== undefined &&
      one.test &&
      testId(one.test) === test &&
      executions.isBefore(one.execution, execution);
    if (answered || (ranAgain && one.miss.key !== event.key)) missing.delete(id);
  }
  if (found === undefined) return;
  const id = idOf(found, test);
  const before = missing.get(id);
  const isNewest = before === undefined || executions.isBefore(before.execution, execution);
  missing.delete(id);
  missing.set(id, {
    ...found,
    id,
    ...(event.test && { test: event.test }),
    at: event.at,
    count: (before?.count ?? 0) + 1,
    execution: isNewest ? execution : before.execution,
  });
}

/** The ways in which misses change without a call. */
export function missingChanges(missing: MissingCalls, madeUp: MissingCalls) {
  return {
    recalledMissing(calls: readonly MissingCall[]) {
      for (const call of calls.toReversed()) {
        const own = call.madeUp === undefined ? missing : madeUp;
        if (!own.has(call.id)) own.set(call.id, { ...call, execution: "" });
      }
    },
  };
}

/** Moves the calls of tests whose file, or a folder above it, has another name. */
export function renameCalls(
  { missing, madeUp }: { readonly missing: MissingCalls; readonly madeUp: MissingCalls },
  from: string,
  to: string,
): void {
  for (const calls of [missing, madeUp]) renameIn(calls, from, to);
}

function renameIn(calls: MissingCalls, from: string, to: string): void {
  for (const [id, call] of Array.from(calls)) {
    const test = call.test && renamedTest(call.test, from, to);
    if (test === undefined) continue;
    calls.delete(id);
    const now = idOf(call, testId(test));
    calls.set(now, { ...call, id: now, test });
  }
}

function idOf({ miss, madeUp }: Pick<MissingCall, "miss" | "madeUp">, test = ""): string {
  return `${madeUp === undefined ? "" : "made-up "}${miss.key} ${test}`;
}

/** The order in which executions of tests were first seen: workers run several of the same test at once. */
export interface Executions {
  /** Notes it where it is new. */
  seen(execution: string): void;
  /** Whether one was seen before another; one that is not known is older than any. */
  isBefore(one: string, other: string): boolean;
}

const MOST = 10_000;

export function createExecutions(): Executions {
  const order = new Map<string, number>();
  let count = 0;
  return {
    seen(execution) {
      if (order.has(execution)) return;
      order.set(execution, (count += 1));
      const [oldest] = order.keys();
      if (order.size > MOST && oldest !== undefined) order.delete(oldest);
    },
    isBefore: (one, other) => (order.get(one) ?? 0) < (order.get(other) ?? 0),
  };
}
