import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { testUri } from "../documents/uris.ts";
import { isAtOrIn } from "../findings/test-ref-model.ts";
import { pathIn } from "../window/folder-names.ts";
import type { CodeDeps } from "./code-deps.ts";

/** A move or a switch of branches deletes files and writes them again. */
const SETTLES_AFTER_MS = 10_000;

/** Missing and failed calls follow the file of their test that is renamed here, and go with one that is deleted. */
export function watchMovedFiles(deps: CodeDeps): vscode.Disposable {
  const { session } = deps;
  const { folder } = session;
  let timer: NodeJS.Timeout | undefined;
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, "**"),
    true,
    true,
    false,
  );
  return vscode.Disposable.from(
    { dispose: () => clearTimeout(timer) },
    watcher,
    watcher.onDidDelete(() => {
      clearTimeout(timer);
      timer = setTimeout(() => dismissWhere(deps, isDeleted(deps)), SETTLES_AFTER_MS);
    }),
    vscode.workspace.onDidDeleteFiles(({ files }) => {
      for (const uri of files) dismissAt(uri, deps);
    }),
    vscode.workspace.onDidRenameFiles(({ files }) => {
      for (const { oldUri, newUri } of files) {
        const [from, to] = [pathIn(folder, oldUri), pathIn(folder, newUri)];
        if (from !== undefined && to !== undefined) session.findings.renamed(from, to);
        else dismissAt(oldUri, deps);
      }
    }),
  );
}

const isDeleted =
  ({ session }: CodeDeps) =>
  (file: string): boolean => {
    const uri = testUri(session, file);
    return uri !== undefined && !existsSync(uri.fsPath);
  };

function dismissAt(uri: vscode.Uri, deps: CodeDeps): void {
  const path = pathIn(deps.session.folder, uri);
  if (path !== undefined) dismissWhere(deps, (file) => isAtOrIn(file, path));
}

function dismissWhere({ session }: CodeDeps, isGone: (file: string) => boolean): void {
  session.findings.dismiss(session.state.findings.filter(({ test }) => test && isGone(test.file)));
}
