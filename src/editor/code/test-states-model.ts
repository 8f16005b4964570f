import type { Key, TestRef } from "../../core/exchange.ts";
import type { MissingCall } from "../session-model.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";

/** A recording as far as tests are concerned. */
export interface TestRecording {
  readonly entry: string;
  readonly key: Key;
  /** The tests that were seen to use it, else the one that made it. */
  readonly tests: readonly TestRef[];
  readonly isNew: boolean;
  readonly isStale: boolean;
}

/** What is known of a declared test. All in the order in which it is known. */
export interface TestState {
  readonly test: FoundTest;
  readonly recordings: readonly TestRecording[];
  readonly missing: readonly MissingCall[];
}

/** The state of every test of one file. `file` is relative to the workspace folder, as in a TestRef. */
export function testStates(
  tests: readonly FoundTest[],
  file: string,
  known: { readonly recordings: Iterable<TestRecording>; readonly missing: readonly MissingCall[] },
): readonly TestState[] {
  const states = new Map(
    tests.map((test) => [test, { test, recordings: new Set<TestRecording>(), missing: [] as MissingCall[] }]),
  );
  for (const recording of known.recordings) {
    for (const pointer of recording.tests) {
      const test = pointer.file === file ? resolveTest(tests, pointer) : undefined;
      if (test) states.get(test)?.recordings.add(recording);
    }
  }
  for (const call of known.missing) {
    const test = call.test?.file === file ? resolveTest(tests, call.test) : undefined;
    if (test) states.get(test)?.missing.push(call);
  }
  return [...states.values()].map(({ recordings, ...state }) => ({ ...state, recordings: [...recordings] }));
}
