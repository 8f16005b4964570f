import type { CallEvent, Mode, Run } from "../core/exchange.ts";
import { beginStretch, createRun } from "../core/runs.ts";
import { createOwnRuns, runName } from "./own-runs-model.ts";
import type { SessionModel } from "./session-model.ts";
import type { RunOptions, SessionRun, StretchStart, TestEnd } from "./session.ts";
import { createQuiet, noteCall, standingOf, type NotedCalls } from "./stretch-model.ts";

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
  beginStretch(): void;
  /** @see Session.noteStart */
  noteStart(running: number): StretchStart;
  /** @see Session.noteSilence */
  noteSilence(): void;
  /** @see Session.endStretch */
  endStretch(passed?: boolean): void;
  /** Gives a call to its run. The event is then as others hear of it. */
  took(event: CallEvent): CallEvent;
  /** A run of its own begins; `revoke` is called once, when it ends. */
  started(run: Run, options: RunOptions, revoke: () => void): Pick<SessionRun, "events" | "end">;
  dispose(): void;
}

export interface RunsOptions {
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
  const calls: NotedCalls[] = [];
  const countAnew = (): void => {
    beginStretch(folder);
    calls.length = 0;
  };
  const quiet = createQuiet(countAnew);
  let stretch: { readonly number: number; readonly events: CallEvent[] } = { number: 0, events: [] };

  const stretchOf = (run: string): string => (run === WORKSPACE_RUN ? `${run}/${stretch.number}` : run);
  const endStretch = (passed?: boolean): void => {
    const name = stretchOf(WORKSPACE_RUN);
    const { number, events } = stretch;
    stretch = { number: number + 1, events: [] };
    over(name, { passed, isOneTest: false, events });
  };
  const stretchBegan = (): void => {
    endStretch();
    quiet.began();
    model.stretchBegan();
    changed();
  };
  const tookOfFolder = (event: CallEvent): void => {
    if (quiet.called()) stretchBegan();
    noteCall(calls, { at: event.at, until: event.at + event.ms, requests: model.state.requests });
    if (event.outcome === "recorded") stretch.events.push(event);
  };
  return {
    folder,
    get underWay() {
      return own.size;
    },
    stretchOf,
    beginStretch() {
      countAnew();
      stretchBegan();
    },
    noteStart(running) {
      const standing = standingOf(calls, Date.now(), running);
      // What is counted may be its own, and wait for its answer still: only another's goes.
      if (standing.calls === "another") countAnew();
      if (calls.length === 0) stretchBegan();
      const requests = standing.first?.requests ?? model.state.requests;
      return { begins: standing.calls !== "shared", requests };
    },
    noteSilence: () => quiet.ended(),
    endStretch,
    took(event) {
      const noted = own.noted(event);
      if (noted.run === WORKSPACE_RUN) tookOfFolder(noted);
      return noted;
    },
    started(run, asked, revoke) {
      const events = own.begin(run, asked.overrides);
      model.runStarted({ id: run.id, mode: run.mode, ...(asked.test && { test: asked.test }) });
      stretchBegan();
      const end = (passed?: boolean): void => {
        if (!own.end(run)) return;
        revoke();
        ownRunEnded(run, { passed, isOneTest: asked.isSeveral !== true, events }, options);
      };
      return { events, end };
    },
    dispose: () => quiet.dispose(),
  };
}

function ownRunEnded(run: Run, end: TestEnd, { model, over, ownOver }: RunsOptions): void {
  over(run.id, end);
  model.runEnded(run.id);
  if (end.events.length === 0) model.unreachedIs(runName(run));
  ownOver(end.events);
}
