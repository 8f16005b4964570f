import { stat } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { RuleId } from "../../storage/check/findings.ts";
import { isWrittenAfter } from "./check-model.ts";
import type { RecordingProblems } from "./check-recordings.ts";
import { COMMANDS } from "../window/ids.ts";
import { PROBLEM_SOURCE } from "../window/problem.ts";
import type { Session } from "../session/session.ts";

/** What deleting the file puts right, by rule. */
const DELETIONS: Readonly<Partial<Record<RuleId, string>>> = {
  "same-file": "Delete this copy",
  duplicate: "Delete this last take: the one before it is replayed again",
  stale: "Delete this recording, whose test is gone",
  unused: "Delete this recording, which nobody asks for",
};

/** Quick fixes on what the check found. They are the editor's own file operations, so that its undo takes them back. */
export function registerCheckFixes(session: Session, problems: RecordingProblems): vscode.Disposable {
  const { collection, saved } = problems;
  const forget = (uri: vscode.Uri): void => {
    collection.delete(uri);
    saved.delete(uri);
  };
  const provider: vscode.CodeActionProvider = {
    async provideCodeActions(document, _range, { diagnostics }) {
      const ours = diagnostics.filter(({ source }) => source === PROBLEM_SOURCE);
      const actions = await Promise.all(ours.map((one) => fixesOf(one, document.uri, session)));
      return actions.flat();
    },
  };
  const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider({ scheme: "file" }, provider, kinds),
    // What was said of a file does not follow it.
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach(forget)),
    vscode.workspace.onDidRenameFiles(({ files }) => files.forEach(({ oldUri }) => forget(oldUri))),
    session.recordings.onDidChange(({ entry }) => {
      if (entry !== undefined) void forgetChanged(path.join(session.deck.dir, entry), problems);
    }),
  );
}

/** Watchers may tell late of what was there when the check looked. */
async function forgetChanged(file: string, { collection, checkedAt }: RecordingProblems): Promise<void> {
  const uri = vscode.Uri.file(file);
  if (!collection.has(uri)) return;
  const stats = await stat(file).catch(() => undefined);
  if (!stats || isWrittenAfter(stats, checkedAt)) collection.delete(uri);
}

async function fixesOf(
  diagnostic: vscode.Diagnostic,
  uri: vscode.Uri,
  session: Session,
): Promise<readonly vscode.CodeAction[]> {
  const { dir } = session.deck;
  const entry = path.relative(dir, uri.fsPath).split(path.sep).join("/");
  if (entry.startsWith("../") || path.isAbsolute(entry)) return [];
  const rule = diagnostic.code;
  if (rule === "unreadable" || rule === "stray-file") {
    const { fittingPlace } = await import("../../storage/check/fitting-place.ts");
    const fitting = await fittingPlace(dir, entry);
    if (fitting === undefined) return [];
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uri, vscode.Uri.file(path.join(dir, fitting)), { overwrite: false });
    return [fix("Rename it to fit its key", edit, diagnostic)];
  }
  if (rule === "misnamed") return [renameAll(diagnostic)];
  const title = Object.entries(DELETIONS).find(([id]) => id === rule)?.[1];
  if (title === undefined) return [];
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(uri, { ignoreIfNotExists: true });
  return [fix(title, edit, diagnostic)];
}

/** All at once: names depend on one another. */
function renameAll(diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const title = "Rename all recordings to fit their keys";
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command: COMMANDS.checkRecordings, arguments: [{ fix: "names" }] };
  action.diagnostics = [diagnostic];
  return action;
}

function fix(title: string, edit: vscode.WorkspaceEdit, diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.edit = edit;
  action.diagnostics = [diagnostic];
  action.isPreferred = true;
  return action;
}
