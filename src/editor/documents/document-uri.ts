import * as vscode from "vscode";
import { SCHEMES } from "../window/ids.ts";
import type { Session } from "../session/session.ts";
import { type DocumentSubject, documentAddress, subjectFromQuery } from "./document-uri-model.ts";

/** The address of the readable document of a session's call. `label` becomes the tab's title. */
export function documentUri(
  { tag }: Pick<Session, "tag">,
  subject: DocumentSubject,
  label?: string,
): vscode.Uri {
  const own = { ...subject, ...(tag !== undefined && { folder: tag }) };
  return vscode.Uri.from({ scheme: SCHEMES.document, ...documentAddress(own, label) });
}

/** What a document shows; undefined for one that is not ours. */
export function subjectOf(uri: vscode.Uri): DocumentSubject | undefined {
  return uri.scheme === SCHEMES.document ? subjectFromQuery(uri.query) : undefined;
}
