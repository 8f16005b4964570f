import { joinSentences, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import type { Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import { settleWritten } from "./written-reply-model.ts";
import { sayError, sayInformation } from "../window/messages.ts";

/** The replies that people write in this window. Each is checked whenever it is saved. */
export interface WrittenReplies extends vscode.Disposable {
  /** Watches a recording that is being written to this address. */
  begin(entry: string, uri: vscode.Uri): void;
}

export function createWrittenReplies(session: Session, log: Log): WrittenReplies {
  const written = new Map<string, string>();
  const saving = vscode.workspace.onDidSaveTextDocument((document) => {
    const entry = written.get(document.uri.toString());
    if (entry === undefined) return;
    settle(entry, document, session).catch((error: unknown) => {
      log.error(localize("The written reply was not saved"), error);
      void sayError(explain(error));
    });
  });
  return { begin: (entry, uri) => void written.set(uri.toString(), entry), dispose: () => saving.dispose() };
}

async function settle(entry: string, document: vscode.TextDocument, { deck }: Session): Promise<void> {
  const settled = await settleWritten(entry, deck, () => markUnsaved(document));
  if (settled.outcome === "redacted") {
    const text = localize("The reply was saved without its secrets, as tapedeck.jsonc requires.");
    void sayInformation(text);
  }
  if (settled.outcome === "refused") {
    const kept = localize("The file was removed. Its text is still in the editor.");
    void sayError(joinSentences(explain(settled.error), kept));
  }
}

/** Marks a document as unsaved, so that its text outlives its file: adds or removes the last line break. */
async function markUnsaved(document: vscode.TextDocument): Promise<void> {
  const { uri, lineCount } = document;
  // With auto save, the editor would save it again.
  if (vscode.workspace.getConfiguration("files", uri).get("autoSave") !== "off") return;
  const last = document.lineAt(lineCount - 1).range;
  const edit = new vscode.WorkspaceEdit();
  if (last.isEmpty && lineCount > 1)
    edit.delete(uri, new vscode.Range(document.lineAt(lineCount - 2).range.end, last.end));
  else edit.insert(uri, last.end, "\n");
  await vscode.workspace.applyEdit(edit);
}
