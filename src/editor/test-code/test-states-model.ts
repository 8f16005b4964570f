import type { TestRef } from "../../core/call/call.ts";
import type { RunInfo } from "../session/session-model.ts";
import { type FoundTest, resolveTest } from "../test-discovery/found-test-model.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import { addTo } from "../../core/base/group-by.ts";

/** A recording as far as tests are concerned. */
export interface TestRecordingState {
  readonly entry: string;
  /** The tests that were seen to use it, else the one that made it. */
  readonly tests: readonly TestRef[];
  /** One of them, so that counts of each add up. "cached": MetaGPT's own cache answers it. */
  readonly state: "recorded" | "cached" | "new" | "stale" | "broken";
}

/** What is known of something that can be run. All in the order in which it is known. */
export interface CallState {
  readonly recordings: readonly TestRecordingState[];
  readonly findings: readonly OpenFinding[];
  /** It is being recorded or replayed by itself. */
  readonly run?: RunInfo;
}

/** What is known of a declared test, or of a suite with all that it holds. */
export interface TestState extends CallState {
  readonly test: FoundTest;
}

/** A file, with all its calls, also those outside of any test. */
export interface FileState extends CallState {
  readonly tests: readonly TestState[];
}

/** What the states are made from; calls and runs of other files are passed over. */
export interface KnownOfTests {
  readonly recordings: Iterable<TestRecordingState>;
  readonly findings: readonly OpenFinding[];
  readonly runs: readonly RunInfo[];
}

/** The state of a file and of every test in it. `file` is relative to the workspace folder, as in a TestRef. */
export function fileState(tests: readonly FoundTest[], file: string, known: KnownOfTests): FileState {
  const declared = declarations(tests, file);
  const around = suitesAround(tests);
  const isOwn = (test: TestRef | undefined): boolean => test?.file === file;
  const withSuites = (test: FoundTest | undefined): readonly FoundTest[] =>
    test ? [test, ...(around.get(test) ?? [])] : [];

  const recordings = [...known.recordings].filter((one) => one.tests.some(isOwn));
  // How a run with a fault ended is no state of its test.
  const findings = known.findings.filter(({ test, kind }) => isOwn(test) && kind !== "faulty");
  const runs = known.runs.filter(({ test }) => isOwn(test));
  const recordingsOf = groupedBy(
    recordings,
    (one) => new Set(one.tests.flatMap((test) => withSuites(declared(test)))),
  );
  const findingsOf = groupedBy(findings, ({ test }) => withSuites(declared(test)));
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

/** Finds the declaration that a call means; a test with many recordings is looked for once. */
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

/** The suites that hold each test or suite. `tests` come in source order, a suite before what it holds. */
function suitesAround(tests: readonly FoundTest[]): ReadonlyMap<FoundTest, readonly FoundTest[]> {
  const around = new Map<FoundTest, readonly FoundTest[]>();
  let open: readonly FoundTest[] = [];
  for (const test of tests) {
    open = open.filter((suite) => holds(suite, test));
    around.set(test, open);
    if (test.kind === "suite") open = [...open, test];
  }
  return around;
}

function holds(suite: FoundTest, test: FoundTest): boolean {
  return (
    suite.path.length < test.path.length &&
    test.firstLine <= suite.endLine &&
    suite.path.every((title, index) => title === test.path[index])
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
