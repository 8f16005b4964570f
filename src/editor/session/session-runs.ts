import type { CallEvent, Mode, Run } from "../../core/call.ts";
import { createRun } from "../../core/runs.ts";
import { createFolderStretch, type FolderStretch } from "../runs/folder-stretch-model.ts";
import { createOwnRuns, runName } from "../runs/own-runs-model.ts";
import type { SessionModel } from "./session-model.ts";
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
  started(run: Run, options: RunOptions, revoke: () => void): Pick<SessionRun, "events" | "end">;
  dispose(): void;
}

interface RunsOptions {
  readonly mode: Mode;
  readonly model: SessionModel;
  /** The model changed. */
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
    took(event) {
      const noted = own.noted(event);
      if (noted.run === WORKSPACE_RUN) stretch.took(noted);
      return noted;
    },
    started(run, asked, revoke) {
      const events = own.begin(run, asked.overrides);
      model.runStarted({ id: run.id, mode: run.mode, ...(asked.test && { test: asked.test }) });
      stretch.beginShown();
      const end = (passed?: boolean): void => {
        if (!own.end(run)) return;
        revoke();
        ownRunEnded(run, { passed, isOneTest: asked.isSeveral !== true, events }, options);
      };
      return { events, end };
    },
    dispose: () => stretch.dispose(),
  };
}

function ownRunEnded(run: Run, end: TestEnd, { model, over, ownOver }: RunsOptions): void {
  over(run.id, end);
  model.runEnded(run.id);
  if (end.events.length === 0) model.unreachedIs(runName(run));
  ownOver(end.events);
}
