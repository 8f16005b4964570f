import * as vscode from "vscode";
import { SCHEMES } from "../ids.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { documentAddress, subjectFromQuery } from "./document-uri-model.ts";

/** The address of the readable document of a call. `label` becomes the tab's title. */
export function documentUri(subject: DocumentSubject, label?: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEMES.document, ...documentAddress(subject, label) });
}

/** What a document shows; undefined for one that is not ours. */
export function subjectOf(uri: vscode.Uri): DocumentSubject | undefined {
  return uri.scheme === SCHEMES.document ? subjectFromQuery(uri.query) : undefined;
}
