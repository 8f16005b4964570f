import { canLeaveMachine, type Mode } from "../../core/call/call.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import type { CodeLensLevel } from "../settings/settings-model.ts";
import type { LensTarget } from "./test-target-model.ts";
import type { CallState, FileState, TestState } from "./test-states-model.ts";
import { isFailure, missingCalls, type MissingCall } from "../findings/findings-model.ts";
import { plainLine } from "../window/messages-model.ts";

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
