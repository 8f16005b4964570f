import type { TestRef } from "../../core/exchange.ts";
import type { MissingCall, RunInfo } from "../session-model.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";

/** A recording as far as tests are concerned. */
export interface TestRecording {
  readonly entry: string;
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
  /** It is being recorded or replayed by itself. */
  readonly run?: RunInfo;
}

/** What the states are made from; calls and runs of other files are passed over. */
export interface KnownOfTests {
  readonly recordings: Iterable<TestRecording>;
  readonly missing: readonly MissingCall[];
  readonly runs: readonly RunInfo[];
}

/** The state of every test of one file. `file` is relative to the workspace folder, as in a TestRef. */
export function testStates(
  tests: readonly FoundTest[],
  file: string,
  known: KnownOfTests,
): readonly TestState[] {
  const declared = declarations(tests, file);
  const recordings = groupedBy(known.recordings, (one) => new Set(one.tests.map(declared)));
  const missing = groupedBy(known.missing, ({ test }) => [declared(test)]);
  const runs = groupedBy(known.runs, ({ test }) => [declared(test)]);
  return tests.map((test) => {
    const run = runs.get(test)?.[0];
    return {
      test,
      recordings: recordings.get(test) ?? [],
      missing: missing.get(test) ?? [],
      ...(run && { run }),
    };
  });
}

/** Finds the declaration that a call means; a test with many recordings is looked for once. */
function declarations(
  tests: readonly FoundTest[],
  file: string,
): (pointer: TestRef | undefined) => FoundTest | undefined {
  const found = new Map<string, FoundTest | undefined>();
  return (pointer) => {
    if (pointer?.file !== file) return undefined;
    const { name, joined, line, id } = pointer;
    const key = JSON.stringify([name, joined, line, id]);
    if (!found.has(key)) found.set(key, resolveTest(tests, pointer));
    return found.get(key);
  };
}

function groupedBy<T>(
  all: Iterable<T>,
  testsOf: (one: T) => Iterable<FoundTest | undefined>,
): ReadonlyMap<FoundTest, readonly T[]> {
  const groups = new Map<FoundTest, T[]>();
  for (const one of all) {
    for (const test of testsOf(one)) {
      const group = test && groups.get(test);
      if (group) group.push(one);
      else if (test) groups.set(test, [one]);
    }
  }
  return groups;
}
