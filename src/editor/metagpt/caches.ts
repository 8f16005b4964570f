import * as vscode from "vscode";
import type { RemovedEntry } from "../../storage/rsp-cache-edit.ts";
import type { CallNode } from "../views/call-nodes-model.ts";
import type { CacheFiles, CacheView, FoundEntry } from "./cache-files-model.ts";
import type { CachedRef } from "./cached-ref-model.ts";

/** MetaGPT's caches in a workspace folder, found by their name. What reads them is loaded when one is there. */
export interface Caches extends vscode.Disposable {
  /** Relative to the folder, in order. Filled soon after the start. */
  readonly files: readonly string[];
  /** Files came or went, or what they hold is another. */
  readonly onDidChange: vscode.Event<void>;
  /** The first one came, or the last one went. */
  readonly onDidCount: vscode.Event<void>;
  roots(view: CacheView): Promise<readonly CallNode[]>;
  /** @throws TapedeckError where the entry is gone or its file is broken */
  find(ref: CachedRef): Promise<FoundEntry>;
  /** @throws TapedeckError where the entry is gone or its file is broken */
  remove(ref: CachedRef): Promise<RemovedEntry>;
}

const NAME = "**/rsp_cache.json";
const NOT_IN = "**/{node_modules,.git,.venv,venv}/**";
const HIDDEN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv)\//u;

export function findCaches(folder: vscode.WorkspaceFolder): Caches {
  const changed = new vscode.EventEmitter<void>();
  const counted = new vscode.EventEmitter<void>();
  const found = new Set<string>();
  let loaded: Promise<CacheFiles> | undefined;
  const load = (): Promise<CacheFiles> => (loaded ??= loadCacheFiles(folder, () => changed.fire()));
  const nameOf = (uri: vscode.Uri): string => vscode.workspace.asRelativePath(uri, false);
  const pattern = new vscode.RelativePattern(folder, NAME);
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    if (found.size === 1) counted.fire();
  };
  const touched = (uri: vscode.Uri): void => {
    const file = nameOf(uri);
    if (HIDDEN.test(file)) return;
    add(file);
    if (loaded === undefined) changed.fire();
    else void loaded.then((files) => files.changed(file));
  };
  const gone = (uri: vscode.Uri): void => {
    const file = nameOf(uri);
    if (!found.delete(file)) return;
    if (found.size === 0) counted.fire();
    void loaded?.then((files) => files.changed(file));
    changed.fire();
  };
  void vscode.workspace.findFiles(pattern, NOT_IN).then((uris) => {
    for (const uri of uris) add(nameOf(uri));
    if (uris.length > 0) changed.fire();
  });
  const parts = [
    changed,
    counted,
    watcher,
    watcher.onDidCreate(touched),
    watcher.onDidChange(touched),
    watcher.onDidDelete(gone),
  ];
  return {
    get files() {
      return [...found].toSorted();
    },
    onDidChange: changed.event,
    onDidCount: counted.event,
    roots: async (view) => (found.size === 0 ? [] : (await load()).roots([...found].toSorted(), view)),
    find: async (ref) => (await load()).find(ref),
    remove: async (ref) => (await load()).remove(ref),
    dispose: () => vscode.Disposable.from(...parts).dispose(),
  };
}

async function loadCacheFiles(folder: vscode.WorkspaceFolder, onDidRead: () => void): Promise<CacheFiles> {
  const { createCacheFiles } = await import("./cache-files-model.ts");
  return createCacheFiles({
    folder: folder.uri.fsPath,
    onDidRead,
    rest: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
}
