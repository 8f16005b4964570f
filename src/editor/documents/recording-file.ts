import * as vscode from "vscode";
import type { Session } from "../session/session.ts";

/** The file of a recording. */
export function fileUri(session: Session, entry: string): vscode.Uri {
  return vscode.Uri.joinPath(
    session.folder.uri.with({ path: vscode.Uri.file(session.deck.dir).path }),
    entry,
  );
}

/** The entry of a recording's file; undefined for any other file. */
export function entryOfFile(session: Session, uri: vscode.Uri): string | undefined {
  const dir = fileUri(session, "calls/").path;
  if (uri.scheme !== session.folder.uri.scheme || !uri.path.startsWith(dir)) return undefined;
  return `calls/${uri.path.slice(dir.length)}`;
}

/** The path of a recording's file as people know it, with the beginning of its key: a whole one is wider than a page. */
export function readablePath(session: Session, entry: string): string {
  const path = vscode.workspace.asRelativePath(fileUri(session, entry), false);
  return path.replace(/([0-9a-f]{8})[0-9a-f]{56}/u, "$1…");
}

/** The file of a test, which is named relative to the workspace folder. */
export function testUri(session: Session, file: string): vscode.Uri {
  return vscode.Uri.joinPath(session.folder.uri, file);
}
