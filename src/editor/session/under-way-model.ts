import type { SessionStatus } from "./session-lifecycle.ts";
import type { SessionState } from "./session-model.ts";
import type { Stretch } from "./session-run.ts";
import { testRunnerIn } from "../../server/seen.ts";
import { looksLikeTests, SILENCE_MS } from "../runs/stretch-model.ts";

interface Started {
  /** What is run, where it looks like tests. */
  readonly tests: string | undefined;
  /** Requests that had reached the server before its first. */
  readonly requests: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The commands, tasks and debug sessions that are under way in a folder. */
interface UnderWay {
  /** `what`: anything that tells it from others. `commandLine`: or what else it is called. */
  readonly started: (what: unknown, commandLine: string) => void;
  /** `code`: its exit code, where it has one. */
  readonly ended: (what: unknown, code?: number) => void;
}

interface UnderWaySession {
  readonly runs: {
    readonly stretch: Pick<Stretch, "noteStart" | "noteSilence" | "end">;
    noteUnreached(what: string, runner?: string): void;
  };
  readonly state: Pick<SessionState, "requests">;
  readonly lifecycle: { readonly status: Pick<SessionStatus, "kind"> };
}

/**
 * A start begins another stretch, unless something else is still making calls. A call after everything has ended also
 * begins one, because the editor reports starts late. Tests that end without a call are reported to the session.
 */
export function createUnderWay(session: UnderWaySession): UnderWay {
  const underWay = new Map<unknown, Started>();
  /** Of those, what the present stretch was begun for, and what joined it. */
  const ofStretch = new Set<unknown>();
  /** Several ran at the same time, so how one of them ended does not explain the calls. */
  let isShared = false;

  function judge({ tests, requests }: Started, code: number | undefined): void {
    if (!tests || session.lifecycle.status.kind !== "ready") return;
    if (session.state.requests === requests) session.runs.noteUnreached(tests, testRunnerIn(tests));
    else if (!isShared && code !== undefined) session.runs.stretch.end(code === 0);
  }

  return {
    started(what, commandLine) {
      const { begins, requests } = session.runs.stretch.noteStart(underWay.size);
      const now = Date.now();
      // A long-running process that makes no calls, such as a server, is not part of the stretch.
      for (const [other, { at }] of underWay) if (begins && now - at > SILENCE_MS) ofStretch.delete(other);
      ofStretch.add(what);
      isShared = underWay.size > 0;
      const tests = looksLikeTests(commandLine) ? commandLine.trim() : undefined;
      underWay.set(what, { tests, requests, at: now });
    },
    ended(what, code) {
      const was = underWay.get(what);
      if (!was) return;
      underWay.delete(what);
      judge(was, code);
      const isOver = ofStretch.delete(what) ? ofStretch.size === 0 : underWay.size === 0;
      if (isOver) session.runs.stretch.noteSilence();
    },
  };
}
