import { NOTHING_SPENT } from "./budget/spending.ts";
import type { Call, CallCounts, Key, Mode, Run, TestRef } from "./call.ts";
import type { PlannedFault } from "./config/mocks.ts";

/** Makes a run with nothing counted yet. `id` names it in events; it is not its token. */
export function createRun(options: {
  readonly id: string;
  readonly mode: Mode;
  readonly test?: TestRef;
  readonly faults?: readonly PlannedFault[];
}): Run {
  const spent = { total: NOTHING_SPENT };
  return { ...options, overrides: new Map(), counts: new CountedCalls(), firstRecorded: new Set(), spent };
}

/** Begins another stretch under the same token: take counters and what was spent start again, as for a new run of the tests. */
export function beginStretch(run: Run): void {
  run.counts = new CountedCalls();
  run.firstRecorded.clear();
  run.spent = { total: NOTHING_SPENT };
}

export class CountedCalls implements CallCounts {
  readonly numbered = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  /** Numbers of calls that are to be made again, lowest first. */
  readonly #free = new Map<string, readonly number[]>();

  count(name: string): number {
    const free = this.#free.get(name);
    const lowest = free?.[0];
    if (free !== undefined && lowest !== undefined) {
      this.#free.set(name, free.slice(1));
      return lowest;
    }
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    return calls;
  }

  free(name: string, number: number): void {
    const free = [...(this.#free.get(name) ?? []), number];
    this.#free.set(
      name,
      free.sort((a, b) => a - b),
    );
  }
}

/** Counts a call and gives its ordinal among the identical ones of its scope, from 1. */
export function countCall(call: CountedCall & { readonly run: Run }, key: Key): number {
  return call.run.counts.count(scopedKey(key, call));
}

/** Gives back the number of a call that is going to be made again: the next identical call of its scope has it. */
export function giveBackNumber(counts: CallCounts, { call, key, ordinal }: NumberedCall): void {
  counts.free(scopedKey(key, call), ordinal);
}

interface NumberedCall {
  readonly call: CountedCall;
  readonly key: Key;
  readonly ordinal: number;
}

/** A key has no line break: alone it is nobody else's. It is at hand already, which a text made for each call is not. */
export function scopedKey(key: Key, { test, cassette }: CountedCall): string {
  const name = test === undefined ? key : `${scopeOf(test)}\n${key}`;
  return cassette === undefined ? name : `${cassette}\n${name}`;
}

/** Identical calls are counted by test, and by the cassette that they name themselves. */
type CountedCall = Pick<Call, "test" | "cassette">;

/** Takes are counted by execution of a test where that is known, else by test. */
const scopeOf = (test: TestRef): string => test.execution ?? `${test.file}\n${test.name.join("\n")}`;
