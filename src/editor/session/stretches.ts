import * as vscode from "vscode";
import type { Session } from "./session.ts";
import type { TerminalFolders } from "../environment/terminal-folders.ts";
import { followCommands } from "./stretch-model.ts";
import { createUnreachedWatch } from "../runs/unreached-model.ts";
import { WORKSPACE_RUN } from "./session-runs.ts";

/**
 * Divides the calls of a folder into runs of tests, by the commands, tasks, and debug sessions that start and end; see
 * `followCommands`. `isCurrent`: whether a command in no known folder counts as one of this folder.
 */
export function watchStretches(
  session: Session,
  terminals: TerminalFolders,
  isCurrent: () => boolean,
): vscode.Disposable {
  const { started, ended } = followCommands(session);

  const concerns = (folder: unknown): boolean =>
    isFolder(folder) ? folder.uri.toString() === session.folder.uri.toString() : isCurrent();

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

/** The scope of a task can also be a number. */
function isFolder(value: unknown): value is vscode.WorkspaceFolder {
  return typeof value === "object" && value !== null && "uri" in value;
}

/** Notes tests of other extensions that end without a call. The Calls view shows them. */
export function watchUnreached(session: Session): vscode.Disposable {
  const watch = createUnreachedWatch({
    requests: () => session.state.requests,
    lastCallAt: () => session.state.calls.at(-1)?.at,
    unreached(runners) {
      // A terminal's command line is the better name.
      if (session.lifecycle.status.kind === "ready" && session.state.unreached === undefined)
        session.runs.noteUnreached(runners.join(", "));
    },
  });
  const listening = session.connection.onDidBeginTests((process) => {
    // Separate runs report it in their terminal.
    if (process.run.id === WORKSPACE_RUN) watch.addProcess(process);
  });
  return vscode.Disposable.from(listening, watch);
}
