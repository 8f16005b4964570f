import { joinList, localize } from "../../core/base/localize.ts";
import { type Mode, canLeaveMachine } from "../../core/call/call.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import type { CodeLensLevel } from "../settings/settings-model.ts";
import type { LensTarget } from "./test-target-model.ts";
import { type MissingCall, isFailure, listMissingCalls } from "../findings/findings-model.ts";
import { formatLensTitle, removeMarkupFromLine } from "../window/messages-model.ts";
import type { FoundTest } from "../../test-discovery/found-test.ts";
import type { CallState, FileState, TestRecordingState, TestState } from "./test-state-model.ts";

/** A lens above a test. `line` is 1-based. */
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
 * Returns the lenses of a file, at most three per place: on its first line for the whole file, above suites for their
 * tests, and above tests. A test without known calls has only Record; a suite or file of such tests has no lens.
 */
export function createTestLenses(state: FileState, options: LensOptions): readonly TestLens[] {
  if (options.level === "off") return [];
  const lensesOfTest = (one: TestState): readonly TestLens[] => {
    const { kind, firstLine, path, line } = one.test;
    return lensesOf(one, { line: firstLine, kind, test: { path, line } }, options);
  };
  const file = lensesOf(state, { line: 1, kind: "file", test: { path: [], line: 1 } }, options);
  return [...file, ...state.tests.flatMap(lensesOfTest)];
}

interface LensPlace {
  readonly line: number;
  readonly kind: FoundTest["kind"] | "file";
  readonly test: LensTarget["test"];
}

type PlainLens = Omit<TestLens, "line">;

function lensesOf(
  state: CallState,
  { line, kind, test }: LensPlace,
  { level, mayRun, uri }: LensOptions,
): readonly TestLens[] {
  const at = (lens: PlainLens): TestLens => ({ line, ...lens });
  const target = { uri, test };
  if (state.run) return [at(runningLens(state.run.mode, kind, target))];
  const record = at(recordLens(kind, target));
  const hasCalled = state.recordings.length + state.findings.length > 0;
  if (!hasCalled) return kind === "test" && level === "all" && mayRun ? [record] : [];
  const replay = state.recordings.length > 0 ? [at(replayLens(state, kind, target))] : [];
  const missing = [
    ...[...callsLens(state, "missing"), ...brokenLens(state), ...callsLens(state, "made-up")].slice(0, 1),
    ...failuresLens(state),
  ].map(at);
  if (!mayRun) return missing;
  if (level === "all") {
    const hasRoom = replay.length > 0 && missing.length === 0 && kind === "test";
    const timeline = hasRoom ? [at(timelineLens(target))] : [];
    return [...replay, record, ...missing, ...timeline];
  }
  return missing.length > 0 ? [record, ...missing] : [];
}

type PlaceKind = LensPlace["kind"];

const REPLAY: Readonly<Record<PlaceKind, string>> = {
  test: localize("Replay"),
  suite: localize("Replay suite"),
  file: localize("Replay file"),
};

const RECORD: Readonly<Record<PlaceKind, string>> = {
  test: localize("Record"),
  suite: localize("Record suite"),
  file: localize("Record file"),
};

function replayLens(state: CallState, kind: PlaceKind, target: LensTarget): PlainLens {
  return {
    title: formatLensTitle("play", `${REPLAY[kind]} · ${countsText(state)}`),
    tooltip:
      kind === "test"
        ? localize("Run this test with its recordings. Nothing leaves this machine.")
        : localize("Run these tests with their recordings. Nothing leaves this machine."),
    command: COMMANDS.replayTest,
    arguments: [target],
  };
}

function recordLens(kind: PlaceKind, target: LensTarget): PlainLens {
  return {
    title: formatLensTitle("record", RECORD[kind]),
    tooltip:
      kind === "test"
        ? localize("Run this test and record its missing calls")
        : localize("Run these tests and record their missing calls"),
    command: COMMANDS.recordTest,
    arguments: [target],
  };
}

function timelineLens(target: LensTarget): PlainLens {
  return {
    title: formatLensTitle("list-tree", localize("Timeline")),
    tooltip: localize("Show when this test made its calls, how long they took, and what they cost"),
    command: COMMANDS.showTimeline,
    arguments: [target],
  };
}

/** Calls without a recording. */
function callsLens({ findings }: CallState, kind: MissingCall["kind"]): readonly PlainLens[] {
  const calls = listMissingCalls(findings, kind);
  if (calls.length === 0) return [];
  const title =
    kind === "missing"
      ? formatLensTitle("warning", localize("{0} missing", calls.length))
      : formatLensTitle("beaker", localize("{0} made up", calls.length));
  const tooltip = calls.map(({ miss, madeUp }) => {
    const call = `${miss.model ?? miss.operation} "${miss.label}"`;
    return removeMarkupFromLine(
      madeUp === undefined
        ? localize("No recording: {0}", call)
        : localize("Made up by {0}: {1}", madeUp.by, call),
    );
  });
  const targets = calls.map(({ id }) => ({ finding: id }));
  return [{ title, tooltip: tooltip.join("\n"), command: COMMANDS.goToMissing, arguments: [targets] }];
}

function failuresLens({ findings }: CallState): readonly PlainLens[] {
  const failures = findings.filter(isFailure);
  const [first] = failures;
  if (first === undefined) return [];
  const count = failures.filter(({ kind }) => kind !== "unreached").length;
  const title =
    count === 0
      ? formatLensTitle("warning", localize("no call arrived"))
      : formatLensTitle("error", localize("{0} failed", count));
  const tooltip = failures.map(({ why }) => removeMarkupFromLine(why)).join("\n");
  return [{ title, tooltip, command: COMMANDS.fix, arguments: [{ finding: first.id }] }];
}

/** Shown if no call is missing, because then the broken recording is why the test fails. */
function brokenLens({ recordings }: CallState): readonly PlainLens[] {
  const entries = recordings.filter(({ state }) => state === "broken").map(({ entry }) => ({ entry }));
  if (entries.length === 0) return [];
  const title = formatLensTitle("error", localize("{0} broken", entries.length));
  const tooltip = localize("Open the file of the recording at its error");
  return [{ title, tooltip, command: COMMANDS.openFile, arguments: [entries] }];
}

function runningLens(mode: Mode, kind: PlaceKind, target: LensTarget): PlainLens {
  return {
    title: formatLensTitle(
      "loading~spin",
      canLeaveMachine(mode) ? localize("Recording · stop") : localize("Replaying · stop"),
    ),
    tooltip:
      kind === "test"
        ? localize("Stop this test, and the runs that wait for it")
        : localize("Stop these tests, and the runs that wait for them"),
    command: COMMANDS.stopRun,
    arguments: [target],
  };
}

/** Returns "2 recorded, 1 new". Each recording is counted once. */
function countsText({ recordings }: CallState): string {
  const count = (countedState: TestRecordingState["state"]): number =>
    recordings.filter(({ state }) => state === countedState).length;
  const counts = [
    [count("recorded"), localize("{0} recorded", count("recorded"))],
    [count("cached"), localize("{0} cached", count("cached"))],
    [count("new"), localize("{0} new", count("new"))],
    [count("stale"), localize("{0} stale", count("stale"))],
    [count("broken"), localize("{0} broken", count("broken"))],
  ] as const;
  return joinList(counts.flatMap(([number, text]) => (number === 0 ? [] : [text])));
}
