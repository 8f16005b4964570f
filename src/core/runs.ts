import { NOTHING_SPENT } from "./budget/spending.ts";
import type { CallCount, Key, Mode, Run, TestRef } from "./exchange.ts";

/** Makes a run with nothing counted yet. `id` names it in events; it is not its token. */
export function createRun(options: {
  readonly id: string;
  readonly mode: Mode;
  readonly test?: TestRef;
}): Run {
  const spent = { total: NOTHING_SPENT };
  return { ...options, overrides: new Map(), counts: new Map(), firstRecorded: new Set(), spent };
}

/** Begins another stretch under the same token: take counters and what was spent start again, as for a new run of the tests. */
export function beginStretch(run: Run): void {
  run.counts.clear();
  run.firstRecorded.clear();
  run.spent = { total: NOTHING_SPENT };
}

/** Counts a call and gives its ordinal among the identical ones of its scope, from 1. */
export function countCall(run: Run, key: Key, test: TestRef | undefined): number {
  const counted = placeOf(key, test);
  const count = run.counts.get(counted);
  if (count !== undefined) return (count.calls += 1);
  run.counts.set(counted, { calls: 1 });
  return 1;
}

/** Where a call was counted; undefined where a new stretch began since. */
export function countOf(run: Run, key: Key, test: TestRef | undefined): CallCount | undefined {
  return run.counts.get(placeOf(key, test));
}

/** A key has no line break: alone it is nobody else's. It is at hand already, which a text made for each call is not. */
function placeOf(key: Key, test: TestRef | undefined): string {
  return test === undefined ? key : `${scopeOf(test)}\n${key}`;
}

/** Takes are counted by execution of a test where that is known, else by test. */
function scopeOf(test: TestRef): string {
  return test.execution ?? `${test.file}\n${test.name.join("\n")}`;
}
