import * as vscode from "vscode";
import type { Session } from "./session.ts";
import type { TerminalFolders } from "./terminal-folders.ts";
import { beginsStretch, looksLikeTests } from "./stretch-model.ts";

interface UnderWay {
  /** What is run, where it looks like tests. */
  readonly tests: string | undefined;
  /** Requests that had reached the server when it began. */
  readonly requests: number;
}

/**
 * Tells runs of tests apart: what starts in a terminal, as a task or in the debugger begins a new stretch, unless
 * something else is in the middle of calling. Tests that end without having called are told to the session.
 * `isCurrent`: whether what starts in no known folder is taken for this one's.
 */
export function watchStretches(
  session: Session,
  terminals: TerminalFolders,
  isCurrent: () => boolean,
): vscode.Disposable {
  const underWay = new Map<unknown, UnderWay>();
  /** Several ran at the same time: how one of them ended says nothing of the calls. */
  let isShared = false;

  const concerns = (folder: unknown): boolean =>
    isFolder(folder) ? folder.uri.toString() === session.folder.uri.toString() : isCurrent();

  function started(what: unknown, commandLine: string): void {
    const lastCallAt = session.state.calls.at(-1)?.at;
    if (beginsStretch({ now: Date.now(), lastCallAt, running: underWay.size })) session.beginStretch();
    isShared = underWay.size > 0;
    const tests = looksLikeTests(commandLine) ? commandLine.trim() : undefined;
    underWay.set(what, { tests, requests: session.state.requests });
  }

  function ended(what: unknown, code?: number): void {
    const was = underWay.get(what);
    underWay.delete(what);
    if (!was?.tests || session.status.kind !== "ready") return;
    if (session.state.requests === was.requests) session.noteUnreached(was.tests);
    else if (!isShared && code !== undefined) session.endStretch(code === 0);
  }

  return vscode.Disposable.from(
    vscode.window.onDidStartTerminalShellExecution(({ execution, terminal }) => {
      if (concerns(terminals.folderOf(terminal))) started(execution, execution.commandLine.value);
    }),
    vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => ended(execution, exitCode)),
    vscode.tasks.onDidStartTaskProcess(({ execution }) => {
      if (concerns(execution.task.scope)) started(execution, execution.task.name);
    }),
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => ended(execution, exitCode)),
    vscode.debug.onDidStartDebugSession((debugging) => {
      // A child session belongs to what its parent began.
      if (!debugging.parentSession && concerns(debugging.workspaceFolder))
        started(debugging.id, debugging.name);
    }),
    vscode.debug.onDidTerminateDebugSession((debugging) => ended(debugging.id)),
  );
}

/** A task's scope may be one of the editor's numbers as well. */
function isFolder(value: unknown): value is vscode.WorkspaceFolder {
  return typeof value === "object" && value !== null && "uri" in value;
}
