import * as vscode from "vscode";
import { CONTEXTS } from "../window/ids.ts";
import type { ContextKey } from "./context-keys.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";

/** After a page was opened, in milliseconds: VS Code reads its steps a while after it shows the page. */
const LOOKS_MS = [0, 1_000, 3_000];

/**
 * Ticks the steps of the walkthrough that are done. VS Code ticks a step when its key becomes true while it knows the
 * walkthrough, and it knows it from the first opening on: a key that was true before is never looked at again. So a key
 * is true for a moment, when its step is done and whenever a page is opened.
 */
export function tickWalkthrough(
  sessions: Sessions<ViewFolder>,
  view: { readonly visible: boolean },
): vscode.Disposable {
  const done = new Set<ContextKey>();
  const timers = new Set<NodeJS.Timeout>();
  const tick = async (key: ContextKey): Promise<void> => {
    await vscode.commands.executeCommand("setContext", key, true);
    await vscode.commands.executeCommand("setContext", key, false);
  };
  const look = (): void => {
    for (const key of doneIn(sessions, view)) {
      if (done.has(key)) continue;
      done.add(key);
      void tick(key);
    }
  };
  const lookAgain = (): void => {
    for (const ms of LOOKS_MS) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        for (const key of done) void tick(key);
      }, ms);
      timers.add(timer);
    }
  };
  look();
  return vscode.Disposable.from(
    { dispose: () => timers.forEach(clearTimeout) },
    sessions.forEach(({ session, index }) =>
      vscode.Disposable.from(session.onDidChange(look), index.onDidChange(look)),
    ),
    // VS Code's own pages have tabs without an input.
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      if (opened.some(({ input }) => input === undefined)) lookAgain();
    }),
  );
}

const STEPS = [CONTEXTS.stepOn, CONTEXTS.stepRecorded, CONTEXTS.stepReplayed, CONTEXTS.stepSeen] as const;

function doneIn({ all }: Sessions<ViewFolder>, view: { readonly visible: boolean }): readonly ContextKey[] {
  const isDone = {
    [CONTEXTS.stepOn]: all.some(({ session }) => session.lifecycle.status.kind === "ready"),
    [CONTEXTS.stepRecorded]: all.some(
      ({ session, index }) => index.progress.total + session.state.candidates.size > 0,
    ),
    [CONTEXTS.stepReplayed]: all.some(({ session }) => session.state.counts.replayed > 0),
    [CONTEXTS.stepSeen]: view.visible,
  };
  return STEPS.filter((key) => isDone[key]);
}
