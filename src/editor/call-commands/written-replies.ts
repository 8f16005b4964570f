import * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import type { Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import { settleWritten } from "./written-reply-model.ts";
import { sayError, sayInformation } from "../window/messages.ts";

/** The replies that persons write in this window: each is looked at whenever it is saved. */
export interface WrittenReplies extends vscode.Disposable {
  /** A recording is being written; it comes into being at this address. */
  begin(entry: string, uri: vscode.Uri): void;
}

export function createWrittenReplies(session: Session, log: Log): WrittenReplies {
  const written = new Map<string, string>();
  const saving = vscode.workspace.onDidSaveTextDocument((document) => {
    const entry = written.get(document.uri.toString());
    if (entry === undefined) return;
    settle(entry, document, session).catch((error: unknown) => {
      log.error("write reply", error);
      void sayError(explain(error));
    });
  });
  return { begin: (entry, uri) => void written.set(uri.toString(), entry), dispose: () => saving.dispose() };
}

async function settle(entry: string, document: vscode.TextDocument, { deck }: Session): Promise<void> {
  const settled = await settleWritten(entry, deck, () => markUnsaved(document));
  if (settled.outcome === "redacted") {
    const text = "The reply was saved without its secrets, as tapedeck.jsonc says.";
    void sayInformation(text);
  }
  if (settled.outcome === "refused") {
    const text = `${explain(settled.error)} The file was taken away again; its text is still in the editor.`;
    void sayError(text);
  }
}

/** The text is not lost when its file is: the last line end comes or goes, so that the editor holds what is not saved. */
async function markUnsaved(document: vscode.TextDocument): Promise<void> {
  const { uri, lineCount } = document;
  // It would be saved again by itself.
  if (vscode.workspace.getConfiguration("files", uri).get("autoSave") !== "off") return;
  const last = document.lineAt(lineCount - 1).range;
  const edit = new vscode.WorkspaceEdit();
  if (last.isEmpty && lineCount > 1)
    edit.delete(uri, new vscode.Range(document.lineAt(lineCount - 2).range.end, last.end));
  else edit.insert(uri, last.end, "\n");
  await vscode.workspace.applyEdit(edit);
}
