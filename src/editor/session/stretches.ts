import * as vscode from "vscode";
import type { Session } from "./session.ts";
import type { TerminalFolders } from "../environment/terminal-folders.ts";
import { createUnderWay } from "./under-way-model.ts";

/**
 * Tells runs of tests apart by what starts and ends in a terminal, as a task or in the debugger; see `createUnderWay`.
 * `isCurrent`: whether what starts in no known folder is taken for this one's.
 */
export function watchStretches(
  session: Session,
  terminals: TerminalFolders,
  isCurrent: () => boolean,
): vscode.Disposable {
  const { started, ended } = createUnderWay(session);

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

/** A task's scope may be one of the editor's numbers as well. */
function isFolder(value: unknown): value is vscode.WorkspaceFolder {
  return typeof value === "object" && value !== null && "uri" in value;
}
