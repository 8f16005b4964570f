import type { CallEvent, Run } from "../../core/call/call.ts";
import { beginStretch } from "../../core/answer/runs.ts";
import { detectTestRunner } from "../../server/run-observer.ts";
import type { SessionModel, SessionState } from "./session-model.ts";

/** A new stretch begins after this many milliseconds without a call when nothing else reports the end of a run. */
export const SILENCE_MS = 60_000;

/** VS Code reports commands late: calls of the last milliseconds may be the first ones of a command. */
const LATE_MS = 2_000;

/** The stretches of a folder's shared run: each is one run of the tests, and the first call after its end begins another. */
export type FolderStretch = ReturnType<typeof createFolderStretch>;

export interface TestRunEnd {
  /** Whether everything in it passed; undefined if unknown. */
  readonly passed: boolean | undefined;
  /** It was one test alone: then a failure is that test's. */
  readonly isOneTest: boolean;
  readonly events: readonly CallEvent[];
}

interface StretchOptions {
  readonly run: Run;
  readonly model: SessionModel;
  readonly changed: () => void;
  /** A stretch ended, with what is known of its tests. */
  readonly onEnd: (number: number, end: TestRunEnd) => void;
}

export function createFolderStretch({ run, model, changed, onEnd }: StretchOptions) {
  let stretch: { readonly number: number; readonly events: CallEvent[] } = { number: 0, events: [] };
  let isOver = false;
  let silence: NodeJS.Timeout | undefined;

  /** Ends the stretch. `passed`: whether its tests succeeded, if known. */
  const end = (passed?: boolean): void => {
    const { number, events } = stretch;
    stretch = { number: number + 1, events: [] };
    onEnd(number, { passed, isOneTest: false, events });
  };
  /** Restarts what is shown, and keeps the take counters: a separate run begins. */
  const beginShown = (): void => {
    end();
    isOver = false;
    model.beginStretch();
    changed();
  };
  /** Restarts the take counters at once, because they count before a call is reported. The next call begins a stretch. */
  const expectNext = (): void => {
    clearTimeout(silence);
    silence = undefined;
    isOver = true;
    beginStretch(run);
  };
  return {
    /** Counts up from 0. */
    get number() {
      return stretch.number;
    },
    begin() {
      beginStretch(run);
      beginShown();
    },
    beginShown,
    expectNext,
    end,
    /** Adds a call of the folder's shared run. */
    addCall(event: CallEvent) {
      if (isOver) beginShown();
      silence ??= setTimeout(expectNext, SILENCE_MS).unref();
      silence.refresh();
      if (event.outcome === "recorded") stretch.events.push(event);
    },
    dispose: () => clearTimeout(silence),
  };
}

interface StartedCommand {
  /** The command line if it looks like one that runs tests. */
  readonly tests: string | undefined;
  /** Requests that had reached the server before. */
  readonly requests: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface CommandSession {
  readonly runs: {
    readonly stretch: Pick<FolderStretch, "expectNext" | "end">;
    noteUnreached(what: string, runner?: string): void;
  };
  readonly state: Pick<SessionState, "requests" | "calls">;
  readonly lifecycle: { readonly status: { readonly kind: string } };
}

/**
 * Follows the commands, tasks, and debug sessions of a folder. A stretch ends with the last command that runs tests, and
 * with the last command of all. Tests that end without a call are reported to the session.
 */
export function followCommands(session: CommandSession) {
  const { runs, state } = session;
  const active = new Map<unknown, StartedCommand>();
  /** Several ran at the same time, so how one of them ended does not explain the calls. */
  let isShared = false;
  const hasTests = (): boolean => [...active.values()].some(({ tests }) => tests !== undefined);
  const hasCallSince = (at: number): boolean =>
    state.calls.some((call) => call.at + call.ms >= at - LATE_MS && call.at <= Date.now());

  function judge({ tests, requests, at }: StartedCommand, code: number | undefined): void {
    if (tests === undefined || session.lifecycle.status.kind !== "ready") return;
    if (state.requests === requests && !hasCallSince(at)) runs.noteUnreached(tests, detectTestRunner(tests));
    else if (!isShared && code !== undefined) runs.stretch.end(code === 0);
  }

  return {
    /** `what`: any value that identifies the command. */
    started(this: void, what: unknown, commandLine: string): void {
      const now = Date.now();
      if (!hasTests() && !hasCallSince(now)) runs.stretch.expectNext();
      isShared = active.size > 0;
      const tests = looksLikeTests(commandLine) ? commandLine.trim() : undefined;
      active.set(what, { tests, requests: state.requests, at: now });
    },
    ended(this: void, what: unknown, code?: number): void {
      const command = active.get(what);
      if (command === undefined) return;
      active.delete(what);
      judge(command, code);
      const isOver = command.tests === undefined ? active.size === 0 : !hasTests();
      if (isOver) runs.stretch.expectNext();
    },
  };
}

const TEST_COMMAND =
  /(?:^|[\s/\\;&|])(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?t(?:est\S*)?|(?:go|cargo|deno|dotnet|make|just|rake)\s+test\S*|node\s(?:.*\s)?--test|vitest|jest|mocha|ava|pytest|unittest|playwright|tox|nox)(?:$|\s)/u;

/** Guesses whether a command line runs tests. */
export const looksLikeTests = (commandLine: string): boolean => TEST_COMMAND.test(commandLine);
