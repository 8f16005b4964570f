import type { CallEvent, Run } from "../../core/call/call.ts";
import { beginStretch } from "../../core/answer/runs.ts";
import type { SessionModel } from "./session-model.ts";
import type { Stretch, TestRunEnd } from "./session-run.ts";
import { watchSilence, noteCall, standingOf, type NotedCalls } from "../runs/stretch-model.ts";

/** The stretches of a folder's own run: where one ends and the next begins. */
export interface FolderStretch extends Stretch {
  /** The present one; it counts up. */
  readonly number: number;
  /** What is shown starts again, and not what is counted: something else begins than the folder's own run. */
  beginShown(): void;
  /** A call of the folder's own run was answered. */
  took(event: CallEvent): void;
  dispose(): void;
}

interface StretchOptions {
  readonly run: Run;
  readonly model: SessionModel;
  readonly changed: () => void;
  /** A stretch is over, with what is known of its tests. */
  readonly over: (number: number, end: TestRunEnd) => void;
}

export function createFolderStretch({ run, model, changed, over }: StretchOptions): FolderStretch {
  const calls: NotedCalls[] = [];
  let stretch: { readonly number: number; readonly events: CallEvent[] } = { number: 0, events: [] };
  const countAnew = (): void => {
    beginStretch(run);
    calls.length = 0;
  };
  const silence = watchSilence(countAnew);

  const end = (passed?: boolean): void => {
    const { number, events } = stretch;
    stretch = { number: number + 1, events: [] };
    over(number, { passed, isOneTest: false, events });
  };
  const beginShown = (): void => {
    end();
    silence.began();
    model.stretchBegan();
    changed();
  };
  return {
    get number() {
      return stretch.number;
    },
    begin() {
      countAnew();
      beginShown();
    },
    beginShown,
    noteStart(running) {
      const standing = standingOf(calls, Date.now(), running);
      // What is counted may be its own, and wait for its answer still: only another's goes.
      if (standing.calls === "another") countAnew();
      if (calls.length === 0) beginShown();
      const requests = standing.first?.requests ?? model.requests;
      return { begins: standing.calls !== "shared", requests };
    },
    noteSilence: () => silence.ended(),
    end,
    took(event) {
      if (silence.called()) beginShown();
      noteCall(calls, { at: event.at, until: event.at + event.ms, requests: model.requests });
      if (event.outcome === "recorded") stretch.events.push(event);
    },
    dispose: () => silence.dispose(),
  };
}
