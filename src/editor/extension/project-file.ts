import * as path from "node:path";
import * as vscode from "vscode";
import { type TapedeckError, explain } from "../../core/base/errors.ts";
import { addTag } from "../window/folder-names.ts";
import type { Log } from "../window/log.ts";
import { createProblem } from "../window/problem.ts";
import type { Session } from "../session/session.ts";

/** Reads `tapedeck.jsonc` again when any program saves it, and marks its errors. */
export function watchProjectFile(session: Session, log: Log): vscode.Disposable {
  const problems = vscode.languages.createDiagnosticCollection(addTag("tapedeck project", session.tag));
  let watched: { readonly path: string; readonly watching: vscode.Disposable } | undefined;
  const show = (): void => {
    const { path: file, current } = session.deck.project;
    problems.clear();
    if (current.problem) problems.set(vscode.Uri.file(file), [createDiagnostic(current.problem)]);
  };
  const reload = (): void => {
    session.deck.project.reload().then(show, (error: unknown) => log.error("tapedeck.jsonc", error));
  };
  // Another deck can have another folder, and so another file.
  const follow = (): void => {
    if (!session.lifecycle.known) return;
    const file = session.deck.project.path;
    if (watched?.path !== file) {
      watched?.watching.dispose();
      watched = { path: file, watching: watch(file, reload) };
      reload();
    } else show();
  };
  follow();
  return vscode.Disposable.from(
    problems,
    session.onDidChange(follow),
    vscode.workspace.onDidGrantWorkspaceTrust(() => watched && reload()),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.fsPath === watched?.path) reload();
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

function createDiagnostic(problem: TapedeckError): vscode.Diagnostic {
  const text = explain(problem).replace(/^tapedeck\.jsonc:\d+:\d+: /, "");
  return createProblem(problem.position ?? { line: 1, column: 1 }, text, "config");
}
