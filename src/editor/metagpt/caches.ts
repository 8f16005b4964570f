import * as vscode from "vscode";
import type { RemovedEntry } from "../../systems/metagpt/cache/rsp-cache-edit.ts";
import { ownPathIn } from "../window/folder-names.ts";
import { oneAtATime, throttle } from "../window/throttle.ts";
import type { CacheFiles, FoundEntry, CacheView } from "./cache-files-model.ts";
import type { CachedRef } from "../../core/cassette/cached-ref.ts";
import type { CallNode } from "../calls/call-node-model.ts";

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
  /** Adds the answer of an entry under a key that the file does not have yet. @throws TapedeckError as `find` */
  copyAnswer(ref: CachedRef, key: string): Promise<void>;
}

/** A look goes through the folders. */
const EVERY_MS = 3_000;
const NAME = "**/rsp_cache.json";
const NOT_IN = "**/{node_modules,.git,.venv,venv}/**";
const HIDDEN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv)\//u;

export function findCaches(folder: vscode.WorkspaceFolder): Caches {
  const changed = new vscode.EventEmitter<void>();
  const counted = new vscode.EventEmitter<void>();
  let loaded: Promise<CacheFiles> | undefined;
  const load = (): Promise<CacheFiles> => (loaded ??= loadCacheFiles(folder, () => changed.fire()));
  const found = createFound({
    changed: (file) => {
      changed.fire();
      void loaded?.then((files) => files.changed(file));
    },
    counted: () => counted.fire(),
  });
  const watching = watchFor(folder, found);
  return {
    get files() {
      return found.files;
    },
    onDidChange: changed.event,
    onDidCount: counted.event,
    refresh: watching.again,
    roots: async (view) => (found.files.length === 0 ? [] : (await load()).roots(found.files, view)),
    find: async (ref) => (await load()).find(ref),
    remove: async (ref) => (await load()).remove(ref),
    copyAnswer: async (ref, key) => (await load()).copyAnswer(ref, key),
    dispose: () => vscode.Disposable.from(watching, changed, counted).dispose(),
  };
}

interface CacheWatch {
  readonly files: readonly string[];
  /** A file is there, and may have changed. */
  touched(this: void, file: string): void;
  gone(this: void, file: string): void;
}

function createFound(told: {
  readonly changed: (file: string) => void;
  readonly counted: () => void;
}): CacheWatch {
  const found = new Set<string>();
  return {
    get files() {
      return [...found].toSorted();
    },
    touched(file) {
      if (HIDDEN.test(file)) return;
      const isFirst = found.size === 0;
      found.add(file);
      if (isFirst) told.counted();
      told.changed(file);
    },
    gone(file) {
      if (!found.delete(file)) return;
      if (found.size === 0) told.counted();
      told.changed(file);
    },
  };
}

function watchFor(
  folder: vscode.WorkspaceFolder,
  found: CacheWatch,
): vscode.Disposable & { again(this: void): void } {
  // What lies in a folder of its own within this one is shown there.
  const own = (uri: vscode.Uri, does: (file: string) => void): void => {
    const file = ownPathIn(folder, uri);
    if (file !== undefined) does(file);
  };
  const pattern = new vscode.RelativePattern(folder, NAME);
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  // A file in a folder that is as new as itself is not always told of.
  const look = async (): Promise<void> => {
    const there = new Set(
      (await vscode.workspace.findFiles(pattern, NOT_IN)).flatMap((uri) => ownPathIn(folder, uri) ?? []),
    );
    for (const file of found.files) if (!there.has(file)) found.gone(file);
    for (const file of there) found.touched(file);
  };
  const again = throttle(oneAtATime(look), () => EVERY_MS);
  again();
  const parts = [
    again,
    watcher,
    watcher.onDidCreate((uri) => own(uri, found.touched)),
    watcher.onDidChange((uri) => own(uri, found.touched)),
    watcher.onDidDelete((uri) => own(uri, found.gone)),
    vscode.tasks.onDidEndTask(again),
    vscode.window.onDidEndTerminalShellExecution(again),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) again();
    }),
  ];
  return { again, dispose: () => vscode.Disposable.from(...parts).dispose() };
}

async function loadCacheFiles(folder: vscode.WorkspaceFolder, onDidRead: () => void): Promise<CacheFiles> {
  const { createCacheFiles } = await import("./cache-files-model.ts");
  return createCacheFiles({ folder: folder.uri.fsPath, onDidRead });
}
