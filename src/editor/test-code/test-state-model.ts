import type { TestRef } from "../../core/call/call.ts";
import { addTo } from "../../core/base/group-by.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { listTestsOfEntry } from "../documents/document-actions.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import type { RunInfo } from "../session/session-model.ts";
import type { Session } from "../session/session.ts";
import { type FoundTest, resolveTest } from "../../test-discovery/found-test.ts";

export interface TestRecordingState {
  readonly entry: string;
  /** The tests that used it; if none is known, the test that made it. */
  readonly tests: readonly TestRef[];
  /** Exactly one state, so that the counts add up. "cached": MetaGPT's cache answers the call. */
  readonly state: "recorded" | "cached" | "new" | "stale" | "broken";
}

/** The calls of a test, a suite, or a file. */
export interface CallState {
  readonly recordings: readonly TestRecordingState[];
  readonly findings: readonly OpenFinding[];
  /** The separate run in which it is being recorded or replayed. */
  readonly run?: RunInfo;
}

/** The state of a declared test or suite, with all tests in it. */
export interface TestState extends CallState {
  readonly test: FoundTest;
}

/** The state of a file with all its calls, including those outside tests. */
export interface FileState extends CallState {
  readonly tests: readonly TestState[];
}

/** Input of the states. Calls and runs of other files are ignored. */
export interface KnownOfTests {
  readonly recordings: Iterable<TestRecordingState>;
  readonly findings: readonly OpenFinding[];
  readonly runs: readonly RunInfo[];
}

/** The state of a file and of every test in it. `file` is relative to the workspace folder, as in a TestRef. */
export function computeFileState(tests: readonly FoundTest[], file: string, known: KnownOfTests): FileState {
  const declared = declarations(tests, file);
  const around = listOuterTests(tests);
  const isOwn = (test: TestRef | undefined): boolean => test?.file === file;
  const withOuter = (test: FoundTest | undefined): readonly FoundTest[] =>
    test ? [test, ...(around.get(test) ?? [])] : [];

  const recordings = [...known.recordings].filter((one) => one.tests.some(isOwn));
  const findings = known.findings.filter(({ test }) => isOwn(test));
  const runs = known.runs.filter(({ test }) => isOwn(test));
  const recordingsOf = groupedBy(
    recordings,
    (one) => new Set(one.tests.flatMap((test) => withOuter(declared(test)))),
  );
  const findingsOf = groupedBy(findings, ({ test }) => withOuter(declared(test)));
  const runOf = groupedBy(runs, ({ test }) => [declared(test)]);
  return {
    tests: tests.map((test) => ({
      test,
      recordings: recordingsOf.get(test) ?? [],
      findings: findingsOf.get(test) ?? [],
      ...firstRun(runOf.get(test)),
    })),
    recordings,
    findings,
    ...firstRun(runs.filter(({ test }) => test?.name.length === 0)),
  };
}

function firstRun(runs: readonly RunInfo[] | undefined): Pick<CallState, "run"> {
  const [run] = runs ?? [];
  return run ? { run } : {};
}

/** Finds the declaration of a call's test. Searches once per test. */
function declarations(
  tests: readonly FoundTest[],
  file: string,
): (pointer: TestRef | undefined) => FoundTest | undefined {
  const found = new Map<string, FoundTest | undefined>();
  return (pointer) => {
    if (pointer?.file !== file || pointer.name.length === 0) return undefined;
    const { name, joined, line, id } = pointer;
    const key = JSON.stringify([name, joined, line, id]);
    if (!found.has(key)) found.set(key, resolveTest(tests, pointer));
    return found.get(key);
  };
}

/**
 * Returns the suites around each test or suite, and the tests around each subtest of node:test. `tests` are in source
 * order, each before its content.
 */
function listOuterTests(tests: readonly FoundTest[]): ReadonlyMap<FoundTest, readonly FoundTest[]> {
  const around = new Map<FoundTest, readonly FoundTest[]>();
  let open: readonly FoundTest[] = [];
  for (const test of tests) {
    open = open.filter((outer) => contains(outer, test));
    around.set(test, open);
    open = [...open, test];
  }
  return around;
}

function contains(outer: FoundTest, test: FoundTest): boolean {
  return (
    outer.path.length < test.path.length &&
    test.firstLine <= outer.endLine &&
    outer.path.every((title, index) => title === test.path[index])
  );
}

function groupedBy<T>(
  all: Iterable<T>,
  testsOf: (one: T) => Iterable<FoundTest | undefined>,
): ReadonlyMap<FoundTest, readonly T[]> {
  const groups = new Map<FoundTest, T[]>();
  for (const one of all) for (const test of testsOf(one)) if (test) addTo(groups, test, one);
  return groups;
}

interface RecordingOfTests {
  readonly entry: string;
  readonly tests: readonly TestRef[];
}

/** Indexes all recordings by test file. The index is built once per change, because there can be many recordings. */
export function createKnownRecordings(session: Session, index: RecordingIndex) {
  let byFile: Map<string, RecordingOfTests[]> | undefined;

  function find(): Map<string, RecordingOfTests[]> {
    const found = new Map<string, RecordingOfTests[]>();
    const add = (entry: string, tests: readonly TestRef[]): void => {
      for (const file of new Set(tests.map((test) => test.file))) addTo(found, file, { entry, tests });
    };
    for (const [{ entry }] of index.known()) add(entry, listTestsOfEntry(entry, { session, index }));
    const { state } = session;
    for (const entry of state.usage.cachedEntries())
      add(
        entry,
        state.usage.testsOf(entry).filter((test) => state.usage.entriesOf(test).includes(entry)),
      );
    return found;
  }

  function stateOf(entry: string): TestRecordingState["state"] {
    const { state } = session;
    if (readCachedEntry(entry) !== undefined) return "cached";
    if (index.facts(entry)?.kind === "broken") return "broken";
    if (state.candidates.has(entry)) return "new";
    return state.usage.isStale(entry) ? "stale" : "recorded";
  }

  return {
    of(file: string) {
      return ((byFile ??= find()).get(file) ?? []).map(({ entry, tests }) => ({
        entry,
        tests,
        state: stateOf(entry),
      }));
    },
    /** Discards the index after a change. */
    forget: () => (byFile = undefined),
  };
}
