import { createQueue } from "../../core/base/queue.ts";
import { joinList, joinSentences, localize } from "../../core/base/localize.ts";
import type { CallEvent } from "../../core/call/call.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { countOutcomes, formatCounts } from "../runs/call-counts-model.ts";

export interface EndedTest {
  readonly title: string;
  readonly passed: boolean;
  readonly events: readonly CallEvent[];
}

/** Maximum failed tests that are named. */
const NAMED = 3;

/** Returns "2 recorded, 1 replayed" for the calls of all tests together. */
export const formatBatchCounts = (ended: readonly EndedTest[]): string =>
  formatCounts(countOutcomes(ended.flatMap(({ events }) => events)));

/** Returns "3 tests: 1 passed, 2 failed · 1 recorded, 2 missing. Failed: …". `wanted`: number of requested tests. */
export function describeBatch(ended: readonly EndedTest[], total: number): string {
  const failed = ended.filter(({ passed }) => !passed).map(({ title }) => title);
  const passed = ended.length - failed.length;
  const left = total - ended.length;
  const outcomes = [
    ...(passed > 0 ? [localize("{0} passed", passed)] : []),
    ...(failed.length > 0 ? [localize("{0} failed", failed.length)] : []),
    ...(left > 0 ? [localize("{0} not run", left)] : []),
  ];
  const tests = localizeCount(total, "{0} test", "{0} tests");
  const result = localize("{0}: {1} · {2}.", tests, joinList(outcomes), formatBatchCounts(ended));
  if (failed.length === 0) return result;
  const more = failed.length > NAMED ? [localize("{0} more", failed.length - NAMED)] : [];
  return joinSentences(result, localize("Failed: {0}.", joinList([...failed.slice(0, NAMED), ...more])));
}

export const isAllWell = (ended: readonly EndedTest[], total: number): boolean =>
  ended.length === total && ended.every(({ passed }) => passed);

/** Runs tasks one after another. A task that is stopped while it waits never starts. */
export type RunQueue = ReturnType<typeof createRunQueue>;

export function createRunQueue() {
  const inTurn = createQueue();
  let stopping = new AbortController();
  return {
    /** Resolves to the task's result; false if it was stopped before it started. */
    add(task: (stopped: AbortSignal) => Promise<boolean>) {
      const { signal } = stopping;
      return inTurn(async () => !signal.aborted && task(signal));
    },
    /** Stops the running task and all waiting ones. */
    stop() {
      stopping.abort();
      stopping = new AbortController();
    },
  };
}
