import type { CallEvent, Mode, Run } from "../../core/call.ts";
import { createRun } from "../../core/runs.ts";
import { createFolderStretch, type FolderStretch } from "../runs/folder-stretch-model.ts";
import { createOwnRuns, runName } from "../runs/own-runs-model.ts";
import type { GuardNote } from "../../server/guard-notes.ts";
import { createSeen, NOTHING_SEEN, type Seen, type SeenSoFar } from "../../server/seen.ts";
import { whyUnreached, type Unreached } from "../../server/why-unreached.ts";
import type { RunInfo, SessionModel } from "./session-model.ts";
import type { RunOptions, SessionRun, TestEnd } from "./session.ts";

/** The id of the run that terminals, tasks and other extensions' processes share. */
export const WORKSPACE_RUN = "workspace";

/** The runs of a session: the folder's own, in stretches, and those of single tests. */
export interface SessionRuns {
  /** The folder's own: what terminals, tasks and other extensions' processes share. */
  readonly folder: Run;
  /** Runs of their own under way. */
  readonly underWay: number;
  /** What a call of this run belongs to now, one run of the tests: a run of its own, or a stretch of the folder's. */
  stretchOf(run: string): string;
  readonly stretch: FolderStretch;
  /** Gives a call to its run. The event is then as others hear of it. */
  took(event: CallEvent): CallEvent;
  /** A run of its own begins; `revoke` is called once, when it ends. */
  started(
    run: Run,
    options: RunOptions,
    revoke: () => void,
  ): Pick<SessionRun, "events" | "end" | "whyUnreached">;
  /** A process told of itself. */
  heard(note: GuardNote): void;
  /** Why no call of the folder's own run came in the present stretch. `runner`: the test runner of a command in it. */
  whyUnreached(runner?: string): Unreached;
  dispose(): void;
}

interface RunsOptions {
  readonly mode: Mode;
  readonly model: SessionModel;
  /** Whether processes of runs say that they start. */
  readonly tellsStart: () => boolean;
  readonly changed: () => void;
  /** A run or a stretch is over, with what is known of its tests. */
  readonly over: (name: string, end: TestEnd) => void;
  /** A run of its own is over; called after `over`. */
  readonly ownOver: (events: readonly CallEvent[]) => void;
}

export function createSessionRuns(options: RunsOptions): SessionRuns {
  const { mode, model, changed, over } = options;
  const own = createOwnRuns();
  const folder = createRun({ id: WORKSPACE_RUN, mode });
  const nameOf = (number: number): string => `${WORKSPACE_RUN}/${number}`;
  const seen = createSeenOfRuns();
  const stretch = createFolderStretch({
    run: folder,
    model,
    changed,
    over: (number, end) => over(nameOf(number), end),
  });
  return {
    folder,
    stretch,
    get underWay() {
      return own.size;
    },
    stretchOf: (run) => (run === WORKSPACE_RUN ? nameOf(stretch.number) : run),
    heard(note) {
      const run = note.run.id === WORKSPACE_RUN ? nameOf(stretch.number) : note.run.id;
      seen.note(run, note);
      if (note.kind !== "passed") return;
      model.findings.bypassed(note, Date.now());
      changed();
    },
    // A process may have started before the editor told of its command: that none did is not known.
    whyUnreached: (runner) =>
      whyUnreached({ seen: seen.in(nameOf(stretch.number)), runner, tellsStart: false, keysMissing: [] }),
    took(event) {
      const noted = own.noted(event);
      if (noted.run === WORKSPACE_RUN) stretch.took(noted);
      return noted;
    },
    started(run, asked, revoke) {
      const events = own.begin(run, asked.overrides);
      model.runStarted(infoOf(run, asked));
      stretch.beginShown();
      const why: SessionRun["whyUnreached"] = (known) =>
        whyUnreached({ ...known, seen: seen.in(run.id), tellsStart: options.tellsStart() });
      const end: SessionRun["end"] = (passed, unreached = why({ keysMissing: [] })) => {
        if (!own.end(run)) return;
        revoke();
        if (events.length === 0 && unreached !== null) model.unreachedIs(runName(run), unreached, run.test);
        ownRunEnded(run, { passed, isOneTest: asked.isSeveral !== true, events }, options);
      };
      return { events, end, whyUnreached: why };
    },
    dispose: () => stretch.dispose(),
  };
}

function infoOf({ id, mode }: Run, { test, faults }: RunOptions): RunInfo {
  return { id, mode, ...(test && { test }), ...(faults && { isFaulty: true }) };
}

function ownRunEnded(run: Run, end: TestEnd, { model, over, ownOver }: RunsOptions): void {
  over(run.id, end);
  model.runEnded(run.id);
  ownOver(end.events);
}

/** So many runs are remembered: what processes of older ones say is of no use. */
const RUNS = 20;

function createSeenOfRuns(): { note(run: string, note: GuardNote): void; in(run: string): Seen } {
  const runs = new Map<string, SeenSoFar>();
  return {
    note(run, note) {
      const known = runs.get(run) ?? createSeen();
      runs.set(run, known);
      const [oldest] = runs.size > RUNS ? runs.keys() : [];
      if (oldest !== undefined) runs.delete(oldest);
      known.note(note);
    },
    in: (run) => runs.get(run)?.whole() ?? NOTHING_SEEN,
  };
}
