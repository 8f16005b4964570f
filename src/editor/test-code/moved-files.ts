import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { TestRef } from "../../core/call.ts";
import { testUri } from "../documents/uris.ts";
import { isAtOrIn } from "../session/test-ref-model.ts";
import { resolveNamed } from "../test-discovery/resolve-test-model.ts";
import { pathIn } from "../window/folder-names.ts";
import type { CodeDeps } from "./code-deps.ts";
import { createMovedFiles } from "./moved-files-model.ts";

/** A move arrives as two events, and a switch of branches as many. */
const SETTLES_AFTER_MS = 500;

/** Missing and failed calls go with the file of their test: to its new name, or away. */
export function watchMovedFiles(deps: CodeDeps): vscode.Disposable {
  const { session, files, log } = deps;
  const { folder } = session;
  const moved = createMovedFiles({
    tests: () => openTests(deps),
    exists: (file) => Promise.resolve(existsSync(testUri(session, file)?.fsPath ?? "")),
    declares: async (file, test) => {
      const uri = testUri(session, file);
      // Lines of another file say nothing of this one.
      const pointer = { ...test, line: undefined };
      return uri !== undefined && resolveNamed(await files.testsIn(uri), pointer) !== undefined;
    },
    renamed: (from, to) => session.renameTests(from, to),
    removed: (file) => dismissIn(file, deps),
  });
  let timer: NodeJS.Timeout | undefined;
  const note = (take: (path: string) => void) => (uri: vscode.Uri) => {
    const path = pathIn(folder, uri);
    if (path === undefined || openTests(deps).length === 0) return;
    take(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      moved.settle().catch((error: unknown) => log.error("moved files", error));
    }, SETTLES_AFTER_MS);
  };
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, "**"),
    false,
    true,
    false,
  );
  return vscode.Disposable.from(
    { dispose: () => clearTimeout(timer) },
    watcher,
    watcher.onDidCreate(note((file) => moved.created(file))),
    watcher.onDidDelete(note((path) => moved.deleted(path))),
    vscode.workspace.onDidDeleteFiles((event) => {
      for (const uri of event.files) dismissAt(uri, deps);
    }),
    vscode.workspace.onDidRenameFiles((event) => {
      for (const { oldUri, newUri } of event.files) {
        const [from, to] = [pathIn(folder, oldUri), pathIn(folder, newUri)];
        if (from !== undefined && to !== undefined) session.renameTests(from, to);
        else dismissAt(oldUri, deps);
      }
    }),
  );
}

function openTests({ session: { state } }: CodeDeps): readonly TestRef[] {
  return [...state.missing, ...state.madeUp, ...state.troubles].flatMap(({ test }) => test ?? []);
}

function dismissAt(uri: vscode.Uri, deps: CodeDeps): void {
  const path = pathIn(deps.session.folder, uri);
  if (path !== undefined) dismissIn(path, deps);
}

function dismissIn(path: string, { session }: CodeDeps): void {
  const { missing, madeUp, troubles } = session.state;
  for (const { id, test } of [...missing, ...madeUp, ...troubles])
    if (test && isAtOrIn(test.file, path)) session.dismissMiss(id);
}
