import * as vscode from "vscode";

/** How commands and addresses name a folder. A window that can have one folder only needs no names. */
export function tagOf(folder: vscode.WorkspaceFolder): string | undefined {
  return vscode.workspace.workspaceFile === undefined ? undefined : folder.uri.toString();
}
