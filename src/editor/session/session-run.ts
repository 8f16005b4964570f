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
  /** Nothing runs any more that this stretch was begun for: the next call begins another. */
  noteSilence(): void;
  /** All that was started in this stretch has ended. `passed`: whether it did so well, where that is known. */
  end(passed?: boolean): void;
}

/** How something that started stands to the calls. */
interface StretchStart {
  /** The stretch begins with it; else it joins others that are calling. */
  readonly begins: boolean;
  /** Requests that had reached the server before its first. */
  readonly requests: number;
}

export interface RunOptions {
  readonly mode: Mode;
  readonly test?: TestRef;
  /** `test` is a suite or a file: where it fails, nobody knows which of its tests did. */
  readonly isSeveral?: boolean;
  readonly overrides?: ReadonlyMap<Key, Mode>;
  /** What goes wrong on purpose: such a run records nothing, and what its test used else stays as it is known. */
  readonly faults?: readonly PlannedFault[];
}

export interface SessionRun {
  readonly run: Run;
  /** The whole environment for the child, not an addition to one: a terminal needs `strictEnv: true`. */
  readonly environment: Record<string, string>;
  /** The run's calls so far, oldest first. */
  readonly events: readonly CallEvent[];
  /** Why no call of it came, by what its processes said of themselves and by what its starter knows. */
  whyUnreached(known: Pick<UnreachedFacts, "keysMissing" | "output">): Unreached;
  /**
   * Revokes the token. Later calls under it are refused. `passed`: how its test ended, where that is known.
   * `unreached`: why no call came; null where that is nothing to tell of.
   */
  end(passed?: boolean, unreached?: Unreached | null): void;
}

export interface TestEnd {
  /** Whether everything in it passed; undefined where nobody can say. */
  readonly passed: boolean | undefined;
  /** It was one test alone: then a failure is that test's. */
  readonly isOneTest: boolean;
  readonly events: readonly CallEvent[];
}
