import type { CallEvent, Key, Mode, Run, TestRef } from "../../core/call/call.ts";
import type { PlannedFault } from "../../core/call/mocks.ts";
import type { Unreached, UnreachedFacts } from "../../server/why-unreached.ts";

/** The present stretch of the workspace's own run. */
export interface Stretch {
  /** The take counters and the counts start again: what comes now is another run of the tests. */
  begin(): void;
  /**
   * A command, task or debug session began, maybe a moment ago: it begins another stretch, or joins the one that its
   * first calls began, or that something is in the middle of. `running`: how many were under way already.
   */
  noteStart(running: number): StretchStart;
  /** Everything that this stretch was begun for has ended: the next call begins another. */
  noteSilence(): void;
  /** Everything that started in this stretch has ended. `passed`: whether it succeeded, if known. */
  end(passed?: boolean): void;
}

/** How a command, task, or debug session that started relates to the stretch. */
interface StretchStart {
  /** The stretch begins with it; else it joins others that are calling. */
  readonly begins: boolean;
  /** Requests that had reached the server before its first. */
  readonly requests: number;
}

export interface RunOptions {
  readonly mode: Mode;
  readonly test?: TestRef;
  /** `test` is a suite or a file: if it fails, it is unknown which of its tests failed. */
  readonly isSeveral?: boolean;
  readonly overrides?: ReadonlyMap<Key, Mode>;
  /** Planned faults. Such a run records nothing and does not change the known usage of its test. */
  readonly faults?: readonly PlannedFault[];
}

export interface SessionRun {
  readonly run: Run;
  /** The whole environment for the child, not an addition to one: a terminal needs `strictEnv: true`. */
  readonly environment: Record<string, string>;
  /** The run's calls so far, oldest first. */
  readonly events: readonly CallEvent[];
  /** Returns why the run made no call, from the reports of its processes and from what its starter knows. */
  whyUnreached(known: Pick<UnreachedFacts, "keysMissing" | "output">): Unreached;
  /**
   * Revokes the token. Later calls under it are refused. `passed`: whether its test passed, if known.
   * `unreached`: why the run made no call; null if there is nothing to report.
   */
  end(passed?: boolean, unreached?: Unreached | null): void;
}

export interface TestRunEnd {
  /** Whether everything in it passed; undefined if unknown. */
  readonly passed: boolean | undefined;
  /** It was one test alone: then a failure is that test's. */
  readonly isOneTest: boolean;
  readonly events: readonly CallEvent[];
}
