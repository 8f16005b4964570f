import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Disposable } from "../../core/call/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import type { StoreChange } from "../../core/cassette/store.ts";
import { isTemporary } from "../folder/durable-write.ts";

/** Events come in bursts, which are reported together. */
const BURST_MS = 50;

interface WatchedFolder {
  readonly path: string;
  readonly ino: number;
  /** The only name that matters in it; absent if each does. */
  readonly awaits?: string;
  /** Its path in the cassette folder, if it holds recordings. */
  readonly holds?: string;
}

/**
 * Watches a cassette folder that may not exist yet, may be deleted, and may be replaced. Does not keep the process alive
 * and never throws.
 */
export function watchCassettes(dir: string, notify: (change: StoreChange) => void): Disposable {
  const changed = new Set<string>();
  let [isStale, isMoved] = [false, false];
  let burst: NodeJS.Timeout | undefined;
  const plan = (): void => void (burst ??= setTimeout(settle, BURST_MS).unref());
  const watchers = createFolderWatchers(dir, ({ awaits, holds }, name) => {
    if (awaits !== undefined && name !== null && name !== awaits) return;
    if (holds !== undefined && name !== null && isTemporary(name)) return;
    const entry = holds !== undefined && name !== null ? `${holds}/${name}` : undefined;
    if (entry !== undefined && !("wrong" in readEntry(entry))) changed.add(entry);
    else if (holds !== undefined && name === null) isStale = true;
    else isMoved = true;
    plan();
  });
  const follow = (): boolean => {
    const outcome = watchers.follow();
    // More folders may have been made in new ones before these had watchers.
    isMoved = outcome === "more";
    if (isMoved) plan();
    return outcome !== "same";
  };
  const settle = (): void => {
    burst = undefined;
    const all = (isMoved && follow()) || isStale;
    const changes = all ? [{}] : Array.from(changed, (entry) => ({ entry }));
    isStale = false;
    changed.clear();
    changes.forEach(notify);
  };

  follow();
  return {
    dispose() {
      watchers.close();
      clearTimeout(burst);
    },
  };
}

/** Has one watcher per folder, because not every system has recursive ones. */
function createFolderWatchers(dir: string, onChange: (folder: WatchedFolder, name: string | null) => void) {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly ino: number }>();
  const close = (path: string): void => {
    watchers.get(path)?.watcher.close();
    watchers.delete(path);
  };
  const open = (folder: WatchedFolder): void => {
    const { path, ino } = folder;
    // Another folder may have taken its path.
    const onEnd = (): void => {
      close(path);
      onChange({ path, ino }, null);
    };
    try {
      const watcher = watch(path, { persistent: false }, (event, name) => {
        // A rename event with the folder's own name means that the folder itself was moved or deleted.
        if (event === "rename" && name === basename(path)) onEnd();
        else onChange(folder, name);
      });
      watchers.set(path, { watcher: watcher.on("error", onEnd), ino });
    } catch {
      // It was removed since it was listed, or the system has no watcher left.
    }
  };
  return {
    /** Updates the watchers to the present folders. Returns whether there are new ones, or others than before. */
    follow(): "same" | "fewer" | "more" {
      const folders = new Map(listFolders(dir).map((folder) => [folder.path, folder]));
      const gone = [...watchers].filter(([path, { ino }]) => folders.get(path)?.ino !== ino);
      for (const [path] of gone) close(path);
      const fresh = [...folders.values()].filter(({ path }) => !watchers.has(path));
      for (const folder of fresh) open(folder);
      if (fresh.some(({ path }) => watchers.has(path))) return "more";
      return gone.length > 0 ? "fewer" : "same";
    },
    close(): void {
      for (const path of watchers.keys()) close(path);
    },
  };
}

/** Returns all folders to watch, outermost first, except those that cannot be read. */
function listFolders(dir: string): readonly WatchedFolder[] {
  const above = findFolderAbove(dir);
  const root = readFolder(dir);
  if (root === undefined) return above;
  const calls = foldersIn(dir).find(({ path }) => path === join(dir, "calls"));
  const top = [...above, { ...root, awaits: "calls" }];
  if (calls === undefined) return top;
  const providers = foldersIn(calls.path);
  const leaves = providers.flatMap(({ path: provider }) =>
    foldersIn(provider).map((folder) => ({
      ...folder,
      holds: `calls/${basename(provider)}/${basename(folder.path)}`,
    })),
  );
  return [...top, calls, ...providers, ...leaves];
}

/** Returns the nearest folder above that exists: the cassette folder, or a folder that leads to it, will appear there. */
function findFolderAbove(dir: string): readonly WatchedFolder[] {
  const parent = dirname(dir);
  if (parent === dir) return [];
  const found = readFolder(parent);
  return found === undefined ? findFolderAbove(parent) : [{ ...found, awaits: basename(dir) }];
}

/** Returns a folder, or the target of a link to one. */
function readFolder(path: string): WatchedFolder | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? { path, ino: stats.ino } : undefined;
  } catch {
    return undefined;
  }
}

/** Links are not followed inside a cassette folder. */
function foldersIn(path: string): readonly WatchedFolder[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((child) => child.isDirectory())
      .flatMap((child) => readFolder(join(path, child.name)) ?? []);
  } catch {
    return [];
  }
}
