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
