import * as vscode from "vscode";
import { grammarOf } from "../test-discovery/first-look-model.ts";
import type { LineEdit } from "../test-discovery/line-edits-model.ts";
import { createEditLog, type EditLog } from "./edit-log-model.ts";

/** Where lines of source files are now that a runner told some time ago. */
export interface EditedLines extends vscode.Disposable {
  /** `line` is 1-based, `at` in milliseconds since the epoch; undefined where the line was taken away. */
  lineNow(uri: vscode.Uri, line: number, at: number): number | undefined;
}

/** Follows the edits of all source files of this window from its beginning on. */
export function watchEditedLines(): EditedLines {
  const logs = new Map<string, Edited>();
  const editedOf = ({ uri, languageId }: vscode.TextDocument): Edited | undefined => {
    if (uri.scheme !== "file" || grammarOf(languageId) === undefined) return undefined;
    const key = uri.toString();
    const edited = logs.get(key) ?? { log: createEditLog(), isDirty: false, settling: undefined };
    logs.set(key, edited);
    return edited;
  };
  const listening = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const edited = editedOf(document);
      if (edited === undefined) return;
      const { log, isDirty: wasDirty } = edited;
      edited.isDirty = document.isDirty;
      if (document.isDirty) stopSettling(edited);
      if (contentChanges.length === 0) return;
      if (!wasDirty && edited.settling === undefined) log.reverted(); // what was undone
      log.edited(contentChanges.map((change) => lineEditOf(change, document, contentChanges.length)));
      if (!wasDirty && !document.isDirty) settle(edited);
    }),
    vscode.workspace.onDidSaveTextDocument((document) => editedOf(document)?.log.saved(Date.now())),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      const edited = logs.get(uri.toString());
      edited?.log.reverted();
      if (edited) edited.isDirty = false;
    }),
    { dispose: () => [...logs.values()].forEach(stopSettling) },
  );
  return {
    lineNow(uri, line, at) {
      const { log, isDirty = false } = logs.get(uri.toString()) ?? {};
      return log === undefined ? line : log.lineNow(line, at, !isDirty);
    },
    dispose: () => listening.dispose(),
  };
}

interface Edited {
  readonly log: EditLog;
  /** As it was after the last event: a text that is not dirty is the one on disk, however it came to that. */
  isDirty: boolean;
  /** Until it is known whether a change was one on disk. */
  settling: NodeJS.Timeout | undefined;
}

const SETTLED_MS = 500;

function stopSettling(edited: Edited): void {
  clearTimeout(edited.settling);
  edited.settling = undefined;
}

/** The editor tells a change before it tells that it made the text dirty; where it does not, the file was changed. */
function settle(edited: Edited): void {
  clearTimeout(edited.settling);
  const at = Date.now();
  edited.settling = setTimeout(() => {
    edited.settling = undefined;
    if (!edited.isDirty) edited.log.saved(at);
  }, SETTLED_MS);
}

/** The text before a change on its line can be looked at only where nothing else changed. */
function lineEditOf(
  { range: { start, end }, text }: vscode.TextDocumentContentChangeEvent,
  document: vscode.TextDocument,
  changes: number,
): LineEdit {
  const isKnown = changes === 1 && start.line < document.lineCount;
  const before = isKnown ? document.lineAt(start.line).text.slice(0, start.character) : "x";
  return {
    line: start.line + 1,
    atStart: start.character === 0 || before.trim() === "",
    removed: end.line - start.line,
    added: text.split("\n").length - 1,
  };
}
