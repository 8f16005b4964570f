import type { Session } from "../session/session.ts";
import { type Mode, type TestRef, canLeaveMachine } from "../../core/call/call.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import type { CodeLensLevel } from "../settings/settings-model.ts";
import type { LensTarget } from "./test-target-model.ts";
import { type MissingCall, type OpenFinding, isFailure, missingCalls } from "../findings/findings-model.ts";
import { plainLine } from "../window/messages-model.ts";
import type { RunInfo } from "../session/session-model.ts";
import { type FoundTest, resolveTest } from "../test-discovery/found-test-model.ts";
import { addTo } from "../../core/base/group-by.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { testsOfEntry } from "../documents/document-actions.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";

/** A line of text above a test that does something when clicked. `line` is 1-based. */
export interface TestLens {
  readonly line: number;
  readonly title: string;
  readonly tooltip: string;
  readonly command: CommandId;
  readonly arguments: readonly unknown[];
}

export interface LensOptions {
  readonly level: CodeLensLevel;
  readonly mayRun: boolean;
  readonly uri: string;
}

/**
 * The lenses of a file, at most three for each: on its first line for the whole file, above suites for all they hold,
 * and above tests. A test that was never seen to call can be recorded; a suite or a file of such tests has none.
 */
export function testLenses(state: FileState, options: LensOptions): readonly TestLens[] {
  if (options.level === "off") return [];
  const file = lensesOf(
    state,
    { line: 1, word: " file", what: "all tests of this file", test: { path: [], line: 1 } },
    options,
  );
  return [...file, ...state.tests.flatMap((one) => lensesOfTest(one, options))];
}

function hasCalled({ recordings, findings, run }: CallState): boolean {
  return recordings.length + findings.length > 0 || run !== undefined;
}

function lensesOfTest(state: TestState, options: LensOptions): readonly TestLens[] {
  const { kind, firstLine: line, path, line: own } = state.test;
  const test = { path, line: own };
  return kind === "suite"
    ? lensesOf(state, { line, word: " suite", what: "the tests of this suite", test }, options)
    : lensesOf(state, { line, word: "", what: "this test", test }, options);
}

/** What a lens runs, where it stands, and how it is called. */
interface Named {
  readonly line: number;
  readonly word: string;
  readonly what: string;
  readonly test: LensTarget["test"];
}

type PlainLens = Omit<TestLens, "line">;

function lensesOf(state: CallState, named: Named, { level, mayRun, uri }: LensOptions): readonly TestLens[] {
  const at = (lens: PlainLens): TestLens => ({ line: named.line, ...lens });
  const place = { uri, test: named.test };
  if (state.run) return [at(runningLens(state.run.mode, named, place))];
  const record = at(recordLens(state, named, place));
  if (!hasCalled(state)) return named.word === "" && level === "all" && mayRun ? [record] : [];
  const replay = state.recordings.length > 0 ? [at(replayLens(state, named, place))] : [];
  const missing = [
    ...[...callsLens(state, "missing"), ...brokenLens(state), ...callsLens(state, "made-up")].slice(0, 1),
    ...failuresLens(state),
  ].map(at);
  if (!mayRun) return missing;
  if (level === "all") {
    const hasRoom = replay.length > 0 && missing.length === 0 && named.word === "";
    const timeline = hasRoom ? [at(timelineLens(named, place))] : [];
    return [...replay, record, ...missing, ...timeline];
  }
  return missing.length > 0 ? [record, ...missing] : [];
}

function replayLens(state: CallState, { word, what }: Named, place: LensTarget): PlainLens {
  return {
    title: `$(play) Replay${word} · ${countsText(state)}`,
    tooltip: `Run ${what} against the recordings; nothing leaves this machine`,
    command: COMMANDS.replayTest,
    arguments: [place],
  };
}

function recordLens({ recordings }: CallState, { word, what }: Named, place: LensTarget): PlainLens {
  return {
    title: `$(record) Record${word}`,
    tooltip: `Run ${what} and record ${recordings.length > 0 ? "what is not recorded yet" : "the calls"}`,
    command: COMMANDS.recordTest,
    arguments: [place],
  };
}

function timelineLens({ what }: Named, place: LensTarget): PlainLens {
  return {
    title: "$(list-tree) Timeline",
    tooltip: `Show when ${what} called, how long that took, and what it cost`,
    command: COMMANDS.showTimeline,
    arguments: [place],
  };
}

/** Calls without a recording. */
function callsLens({ findings }: CallState, kind: MissingCall["kind"]): readonly PlainLens[] {
  const calls = missingCalls(findings, kind);
  if (calls.length === 0) return [];
  const title =
    kind === "missing" ? `$(warning) ${calls.length} missing` : `$(beaker) ${calls.length} made up`;
  const tooltip = calls.map(({ miss, madeUp }) => {
    const why = madeUp === undefined ? "No recording" : `Made up by ${madeUp.by}`;
    return plainLine(`${why}: ${miss.model ?? miss.operation} "${miss.label}"`);
  });
  const targets = calls.map(({ id }) => ({ finding: id }));
  return [{ title, tooltip: tooltip.join("\n"), command: COMMANDS.goToMissing, arguments: [targets] }];
}

function failuresLens({ findings }: CallState): readonly PlainLens[] {
  const failures = findings.filter(isFailure);
  const [first] = failures;
  if (first === undefined) return [];
  const count = failures.filter(({ kind }) => kind !== "unreached").length;
  const title = `$(error) ${count === 0 ? "no call arrived" : `${count} failed`}`;
  const tooltip = failures.map(({ why }) => plainLine(why)).join("\n");
  return [{ title, tooltip, command: COMMANDS.fix, arguments: [{ finding: first.id }] }];
}

/** Where nothing is missing beside it: then this is why the test is red. */
function brokenLens({ recordings }: CallState): readonly PlainLens[] {
  const entries = recordings.filter(({ state }) => state === "broken").map(({ entry }) => ({ entry }));
  if (entries.length === 0) return [];
  const title = `$(error) ${entries.length} broken`;
  const tooltip = "Open the recording's file where it cannot be read";
  return [{ title, tooltip, command: COMMANDS.openFile, arguments: [entries] }];
}

function runningLens(mode: Mode, { what }: Named, place: LensTarget): PlainLens {
  return {
    title: `$(loading~spin) ${canLeaveMachine(mode) ? "Recording" : "Replaying"} · stop`,
    tooltip: `Stop ${what}, and what waits for its end`,
    command: COMMANDS.stopRun,
    arguments: [place],
  };
}

/** "2 recorded, 1 new": each recording is counted once. */
function countsText({ recordings }: CallState): string {
  return STATES.flatMap((wanted) => {
    const count = recordings.filter(({ state }) => state === wanted).length;
    return count > 0 ? [`${count} ${wanted}`] : [];
  }).join(", ");
}

const STATES = ["recorded", "cached", "new", "stale", "broken"] as const;

/** A recording as far as tests are concerned. */
export interface TestRecordingState {
  readonly entry: string;
  /** The tests that were seen to use it, else the one that made it. */
  readonly tests: readonly TestRef[];
  /** One of them, so that counts of each add up. "cached": MetaGPT's own cache answers it. */
  readonly state: "recorded" | "cached" | "new" | "stale" | "broken";
}

/** The state of a test or suite that can be run, in the order in which it became known. */
export interface CallState {
  readonly recordings: readonly TestRecordingState[];
  readonly findings: readonly OpenFinding[];
  /** It is being recorded or replayed on its own. */
  readonly run?: RunInfo;
}

/** The state of a declared test, or of a suite with all its tests. */
interface TestState extends CallState {
  readonly test: FoundTest;
}

/** A file, with all its calls, also those outside of any test. */
interface FileState extends CallState {
  readonly tests: readonly TestState[];
}

/** Input of the states. Calls and runs of other files are ignored. */
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

interface Used {
  readonly entry: string;
  readonly tests: readonly TestRef[];
}

/** All recordings are gone through once a change, not once a file and look: there may be very many. */
export function createKnownRecordings(session: Session, index: RecordingIndex) {
  let byFile: Map<string, Used[]> | undefined;

  function find(): Map<string, Used[]> {
    const found = new Map<string, Used[]>();
    const add = (entry: string, tests: readonly TestRef[]): void => {
      for (const file of new Set(tests.map((test) => test.file))) addTo(found, file, { entry, tests });
    };
    for (const [{ entry }] of index.known()) add(entry, testsOfEntry(entry, { session, index }));
    const { state } = session;
    for (const entry of state.cachedEntries())
      add(
        entry,
        state.testsOf(entry).filter((test) => state.entriesOf(test).includes(entry)),
      );
    return found;
  }

  function stateOf(entry: string): TestRecordingState["state"] {
    const { state } = session;
    if (readCachedEntry(entry) !== undefined) return "cached";
    if (index.facts(entry)?.kind === "broken") return "broken";
    if (state.candidates.has(entry)) return "new";
    return state.isStale(entry) ? "stale" : "recorded";
  }

  return {
    of(file: string) {
      return ((byFile ??= find()).get(file) ?? []).map(({ entry, tests }) => ({
        entry,
        tests,
        state: stateOf(entry),
      }));
    },
    /** Something that this was made from changed. */
    forget: () => (byFile = undefined),
  };
}
