import type { Mode } from "../../core/exchange.ts";
import { canLeaveMachine } from "../../core/source/modes.ts";
import { COMMANDS, type CommandId } from "../ids.ts";
import type { CodeLensLevel } from "../settings-model.ts";
import type { TestState } from "./test-states-model.ts";

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
 * The lenses of a file's tests, at most three a test; none in a file of which no test was ever seen to call.
 * A test without calls beside tests that have some can only be recorded.
 */
export function testLenses(states: readonly TestState[], options: LensOptions): readonly TestLens[] {
  if (options.level === "off" || !states.some(hasCalled)) return [];
  return states.filter(({ test }) => test.kind === "test").flatMap((state) => lensesOf(state, options));
}

function hasCalled({ recordings, missing, run }: TestState): boolean {
  return recordings.length > 0 || missing.length > 0 || run !== undefined;
}

function lensesOf(state: TestState, { level, mayRun, uri }: LensOptions): readonly TestLens[] {
  const { test, run } = state;
  const at = (lens: Omit<TestLens, "line">): TestLens => ({ line: test.firstLine, ...lens });
  if (run) return [at(runningLens(run.mode))];
  const place = { uri, test: { path: test.path, line: test.line } };
  const replay = state.recordings.length > 0 ? [at(replayLens(state, place))] : [];
  const record = at(recordLens(state, place));
  const missing = missingLens(state).map(at);
  if (!mayRun) return missing;
  if (level === "all") return [...replay, record, ...missing];
  return missing.length > 0 ? [record, ...missing] : [];
}

type PlainLens = Omit<TestLens, "line">;

function replayLens(state: TestState, place: object): PlainLens {
  return {
    title: `$(play) Replay · ${countsText(state)}`,
    tooltip: "Run this test against its recordings; nothing leaves this machine",
    command: COMMANDS.replayTest,
    arguments: [place],
  };
}

function recordLens({ recordings }: TestState, place: object): PlainLens {
  return {
    title: "$(record) Record",
    tooltip:
      recordings.length > 0
        ? "Run this test and record what is not recorded yet"
        : "Run this test and record its calls",
    command: COMMANDS.recordTest,
    arguments: [place],
  };
}

function missingLens({ missing }: TestState): readonly PlainLens[] {
  const [first] = missing;
  if (first === undefined) return [];
  const title = `$(warning) ${missing.length} missing`;
  const tooltip = missing
    .map(({ miss }) => `No recording: ${miss.model ?? miss.operation} "${miss.label}"`)
    .join("\n");
  return [{ title, tooltip, command: COMMANDS.goToMissing, arguments: [{ missing: first.id }] }];
}

function runningLens(mode: Mode): PlainLens {
  return {
    title: `$(loading~spin) ${canLeaveMachine(mode) ? "Recording" : "Replaying"} · stop`,
    tooltip: "Stop this test",
    command: COMMANDS.stopRun,
    arguments: [],
  };
}

function countsText({ recordings }: TestState): string {
  const fresh = recordings.filter(({ isNew }) => isNew).length;
  const stale = recordings.filter(({ isStale }) => isStale).length;
  return [
    `${recordings.length} recorded`,
    ...(fresh > 0 ? [`${fresh} new`] : []),
    ...(stale > 0 ? [`${stale} stale`] : []),
  ].join(", ");
}
