import * as vscode from "vscode";
import type { RemovedEntry } from "../../storage/rsp-cache-edit.ts";
import { oneAtATime, throttle } from "../views/throttle.ts";
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
  /** Looks for files again. */
  refresh(): void;
  roots(view: CacheView): Promise<readonly CallNode[]>;
  /** @throws TapedeckError where the entry is gone or its file is broken */
  find(ref: CachedRef): Promise<FoundEntry>;
  /** @throws TapedeckError where the entry is gone or its file is broken */
  remove(ref: CachedRef): Promise<RemovedEntry>;
}

/** A look goes through the folders. */
const EVERY_MS = 3_000;
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
  const touched = (file: string): void => {
    if (HIDDEN.test(file)) return;
    add(file);
    if (loaded === undefined) changed.fire();
    else void loaded.then((files) => files.changed(file));
  };
  const drop = (file: string): void => {
    if (!found.delete(file)) return;
    if (found.size === 0) counted.fire();
    void loaded?.then((files) => files.changed(file));
    changed.fire();
  };
  // A file in a folder that is as new as itself is not always told of.
  const look = async (): Promise<void> => {
    const there = new Set((await vscode.workspace.findFiles(pattern, NOT_IN)).map(nameOf));
    for (const file of found) if (!there.has(file)) drop(file);
    for (const file of there) touched(file);
  };
  const again = throttle(oneAtATime(look), () => EVERY_MS);
  again();
  const parts = [
    changed,
    counted,
    watcher,
    again,
    watcher.onDidCreate((uri) => touched(nameOf(uri))),
    watcher.onDidChange((uri) => touched(nameOf(uri))),
    watcher.onDidDelete((uri) => drop(nameOf(uri))),
    vscode.tasks.onDidEndTask(again),
    vscode.window.onDidEndTerminalShellExecution(again),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) again();
    }),
  ];
  return {
    get files() {
      return [...found].toSorted();
    },
    onDidChange: changed.event,
    onDidCount: counted.event,
    refresh: again,
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
