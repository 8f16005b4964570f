import * as vscode from "vscode";
import type { CallTarget } from "../calls/call-node-model.ts";
import { SCHEMES } from "../window/ids.ts";
import { expectNamedFile, findNamedFile } from "./named-file-model.ts";
import type { Session } from "../session/session.ts";
import {
  type CallSources,
  type DocumentSubject,
  getCallTitle,
  createDocumentAddress,
  readSubject,
} from "./document-uri-model.ts";

/** Returns the address of a readable document. `label` becomes the title of its tab. */
export function createDocumentUri(
  { tag }: Pick<Session, "tag">,
  subject: DocumentSubject,
  label?: string,
): vscode.Uri {
  const own = { ...subject, ...(tag !== undefined && { folder: tag }) };
  return vscode.Uri.from({ scheme: SCHEMES.document, ...createDocumentAddress(own, label) });
}

/**
 * Returns the address of a call's readable document. Its title is always the same, because a different title would open
 * a different tab. Read a recording first; until then, its title is its key.
 */
export function createCallUri(
  target: CallTarget,
  part: DocumentSubject["part"],
  own: CallSources,
): vscode.Uri {
  return createDocumentUri(own.session, { of: target, part }, getCallTitle(target, own));
}

/** Returns the subject of a document; undefined for documents of other extensions. */
export function readSubjectOfUri(uri: vscode.Uri): DocumentSubject | undefined {
  return uri.scheme === SCHEMES.document ? readSubject(uri.query) : undefined;
}

export function createFileUri(session: Session, entry: string): vscode.Uri {
  const { dir, team } = session.deck;
  const place = team?.isTeams(entry) === true ? team.dir : dir;
  return vscode.Uri.joinPath(session.folder.uri.with({ path: vscode.Uri.file(place).path }), entry);
}

/** The entry of a recording's file; undefined for any other file. */
export function findEntryOfFile(session: Session, uri: vscode.Uri): string | undefined {
  const dir = createFileUri(session, "calls/").path;
  if (uri.scheme !== session.folder.uri.scheme || !uri.path.startsWith(dir)) return undefined;
  return `calls/${uri.path.slice(dir.length)}`;
}

/** Returns the path of a recording's file with a shortened key, because a full key is wider than a page. */
export function formatReadablePath(session: Session, entry: string): string {
  const path = vscode.workspace.asRelativePath(createFileUri(session, entry), false);
  return path.replace(/([0-9a-f]{8})[0-9a-f]{56}/u, "$1…");
}

/** Returns the file of a test by its path in the workspace folder; undefined if the path leads out of it. */
export function createTestUri({ folder }: Pick<Session, "folder">, file: string): vscode.Uri | undefined {
  return findNamedFile(folder.uri.fsPath, file) === undefined
    ? undefined
    : vscode.Uri.joinPath(folder.uri, file);
}

/** As `createTestUri`, for an existing file. @throws TapedeckError if it does not exist or is outside the folder */
export function expectTestUri({ folder }: Pick<Session, "folder">, file: string): vscode.Uri {
  expectNamedFile(folder.uri.fsPath, file);
  return vscode.Uri.joinPath(folder.uri, file);
}
