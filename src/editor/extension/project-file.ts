import * as path from "node:path";
import * as vscode from "vscode";
import { type TapedeckError, explain } from "../../core/base/errors.ts";
import { addTag } from "../window/folder-names.ts";
import type { Log } from "../window/log.ts";
import { createProblem } from "../window/problem.ts";
import type { Session } from "../session/session.ts";

/** `tapedeck.jsonc` counts as soon as it is saved, by the editor or by anyone; what is wrong with it is marked in it. */
export function watchProjectFile(session: Session, log: Log): vscode.Disposable {
  const problems = vscode.languages.createDiagnosticCollection(addTag("tapedeck project", session.tag));
  let watched: { readonly path: string; readonly watching: vscode.Disposable } | undefined;
  const show = (): void => {
    const { path: file, current } = session.deck.project;
    problems.clear();
    if (current.problem) problems.set(vscode.Uri.file(file), [diagnosticOf(current.problem)]);
  };
  const look = (): void => {
    session.deck.project.reload().then(show, (error: unknown) => log.error("tapedeck.jsonc", error));
  };
  // Another deck may have another folder, and so another file.
  const follow = (): void => {
    if (!session.lifecycle.known) return;
    const file = session.deck.project.path;
    if (watched?.path !== file) {
      watched?.watching.dispose();
      watched = { path: file, watching: watch(file, look) };
      look();
    } else show();
  };
  follow();
  return vscode.Disposable.from(
    problems,
    session.onDidChange(follow),
    vscode.workspace.onDidGrantWorkspaceTrust(() => watched && look()),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.fsPath === watched?.path) look();
    }),
    { dispose: () => watched?.watching.dispose() },
  );
}

function watch(file: string, look: () => void): vscode.Disposable {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(path.dirname(file)), path.basename(file));
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(look),
    watcher.onDidCreate(look),
    watcher.onDidDelete(look),
  );
}

function diagnosticOf(problem: TapedeckError): vscode.Diagnostic {
  const text = explain(problem).replace(/^tapedeck\.jsonc:\d+:\d+: /, "");
  return createProblem(problem.position ?? { line: 1, column: 1 }, text, "config");
}
