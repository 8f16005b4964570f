import * as path from "node:path";
import * as vscode from "vscode";

/** A file of a folder as tests name it: relative, with "/"; undefined for any other file. */
export function pathIn(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string | undefined {
  if (uri.scheme !== "file") return undefined;
  const parts = path.relative(folder.uri.fsPath, uri.fsPath).split(path.sep);
  const isOutside = parts[0] === ".." || path.isAbsolute(parts.join(path.sep));
  return isOutside ? undefined : parts.join("/");
}

/** As `pathIn`, of what no other folder of the window holds that lies deeper. */
export function ownPathIn(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string | undefined {
  const holder = vscode.workspace.getWorkspaceFolder(uri);
  return holder?.uri.toString() === folder.uri.toString() ? pathIn(folder, uri) : undefined;
}

/** How commands and addresses name a folder. A window that can have one folder only needs no names. */
export function tagOf(folder: vscode.WorkspaceFolder): string | undefined {
  return vscode.workspace.workspaceFile === undefined ? undefined : folder.uri.toString();
}

/**
 * The name under which a folder keeps or registers something of which a window has one for each folder. `tag`: of the
 * folder; undefined in a window that can have one only.
 */
export function ownName(name: string, tag: string | undefined): string {
  return tag === undefined ? name : `${name} ${tag}`;
}
