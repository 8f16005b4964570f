import * as vscode from "vscode";
import { getOwnPathIn } from "../window/folder-names.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";
import type { CacheFiles, CacheView } from "./cache-files-model.ts";
import type { CachedRef } from "../../core/cassette/cached-ref.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";

/** MetaGPT's caches in a workspace folder, found by their name. The code that reads them is loaded for the first one. */
export type Caches = ReturnType<typeof findCaches>;

/** Minimum time between two searches, which go through all folders. */
const EVERY_MS = 3_000;
const NAME = "**/rsp_cache.json";
const NOT_IN = "**/{node_modules,.git,.venv,venv}/**";
const HIDDEN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv)\//u;

export function findCaches(folder: vscode.WorkspaceFolder) {
  const changed = new vscode.EventEmitter<void>();
  const counted = new vscode.EventEmitter<void>();
  let loaded: Promise<CacheFiles> | undefined;
  const load = (): Promise<CacheFiles> =>
    (loaded ??= import("./cache-files-model.ts").then(({ createCacheFiles }) =>
      createCacheFiles({ folder: folder.uri.fsPath, onDidRead: () => changed.fire() }),
    ));
  const found = new Set<string>();
  /** Notes a file that was created, changed, or deleted. */
  const note = (file: string, isThere: boolean): void => {
    if (HIDDEN.test(file) || (!isThere && !found.has(file))) return;
    const before = found.size;
    if (isThere) found.add(file);
    else found.delete(file);
    if (before + found.size === 1) counted.fire();
    changed.fire();
    void loaded?.then((files) => files.changed(file));
  };
  const watching = watchFor(folder, found, note);
  return {
    /** Sorted paths, relative to the folder. Found soon after the start. */
    get files() {
      return [...found].toSorted();
    },
    /** Fires when files are added, removed, or changed. */
    onDidChange: changed.event,
    /** Fires when the first file is added or the last one is removed. */
    onDidCount: counted.event,
    /** Looks for files again. */
    refresh: watching.again,
    roots: async (view: CacheView) =>
      found.size === 0 ? [] : (await load()).roots([...found].toSorted(), view),
    /** @throws TapedeckError if the entry is gone or its file is broken */
    find: async (ref: CachedRef) => (await load()).find(ref),
    /** @throws TapedeckError if the entry is gone or its file is broken */
    remove: async (ref: CachedRef) => (await load()).remove(ref),
    /** Adds the answer of an entry under a new key. @throws TapedeckError as `find` */
    copyAnswer: async (ref: CachedRef, key: string) => (await load()).copyAnswer(ref, key),
    dispose: () => vscode.Disposable.from(watching, changed, counted).dispose(),
  };
}

function watchFor(
  folder: vscode.WorkspaceFolder,
  found: ReadonlySet<string>,
  note: (file: string, isThere: boolean) => void,
): vscode.Disposable & { again(this: void): void } {
  const noteAs = (isThere: boolean) => (uri: vscode.Uri) => {
    // Files in a nested folder of the window belong to that folder.
    const file = getOwnPathIn(folder, uri);
    if (file !== undefined) note(file, isThere);
  };
  const pattern = new vscode.RelativePattern(folder, NAME);
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  // The watcher can miss a file whose folder was created just before it.
  const look = async (): Promise<void> => {
    const there = new Set(
      (await vscode.workspace.findFiles(pattern, NOT_IN)).flatMap((uri) => getOwnPathIn(folder, uri) ?? []),
    );
    for (const file of found) if (!there.has(file)) note(file, false);
    for (const file of there) note(file, true);
  };
  const again = throttle(runOneAtATime(look), () => EVERY_MS);
  again();
  const parts = [
    again,
    watcher,
    watcher.onDidCreate(noteAs(true)),
    watcher.onDidChange(noteAs(true)),
    watcher.onDidDelete(noteAs(false)),
    vscode.tasks.onDidEndTask(again),
    vscode.window.onDidEndTerminalShellExecution(again),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) again();
    }),
  ];
  return { again, dispose: () => vscode.Disposable.from(...parts).dispose() };
}

/** Dismisses missing calls in MetaGPT's cache after a test, a person, or git added their keys to its file. */
export function dismissAnswered(session: Session, caches: Caches): vscode.Disposable {
  const look = async (): Promise<void> => {
    for (const call of listMissingCalls(session.state.findings)) {
      const { cacheFile: file } = call.miss;
      if (file === undefined) continue;
      const isThere = await caches.find({ file, digest: call.miss.key.slice("sha256:".length) }).then(
        () => true,
        () => false,
      );
      if (isThere) session.findings.dismiss([call]);
    }
  };
  return caches.onDidChange(runOneAtATime(look));
}
