import * as vscode from "vscode";
import { getPathInside } from "../../storage/inside.ts";

/** The path of a file in a folder, as tests use it: relative, with "/". Undefined for any other file. */
export function getPathIn(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string | undefined {
  return uri.scheme === "file" ? getPathInside(folder.uri.fsPath, uri.fsPath) : undefined;
}

/** As `getPathIn`, but undefined for a file that is in a nested folder of the window. */
export function getOwnPathIn(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string | undefined {
  const holder = vscode.workspace.getWorkspaceFolder(uri);
  return holder?.uri.toString() === folder.uri.toString() ? getPathIn(folder, uri) : undefined;
}

/** The name of a folder in commands and addresses. Undefined in a window that can have only one folder. */
export function getTag(folder: vscode.WorkspaceFolder): string | undefined {
  return vscode.workspace.workspaceFile === undefined ? undefined : folder.uri.toString();
}

/**
 * The name under which a folder stores or registers something that a window has once per folder. `tag`: the folder's;
 * undefined in a window that can have only one.
 */
export function addTag(name: string, tag: string | undefined): string {
  return tag === undefined ? name : `${name} ${tag}`;
}
