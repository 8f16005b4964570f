import type { StoreChange } from "../../core/cassette/store.ts";
import type { Disposable } from "../../core/call/call.ts";
import { type Meaning, listWatchedFolders, interpretChange } from "./watched-places.ts";
import { type FSWatcher, watch } from "node:fs";
import { getErrorCode } from "../folder/failures.ts";
import { basename } from "node:path";

/** Events come in bursts, which are reported together. */
const BURST_MS = 50;
/** How often to call for a fresh look where the system has no watcher to give. */
const POLL_MS = 5_000;

/**
 * Watches a cassette folder that may not be there yet, may go and may come back.
 * Does not keep the process alive and never throws.
 */
export function watchCassettes(dir: string, notify: (change: StoreChange) => void): Disposable {
  const changed = new Set<string>();
  const due = { stale: false, scan: false };
  let burst: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;

  const settle = (): void => {
    burst = undefined;
    const stale = (due.scan && watchers.follow()) || due.stale;
    const changes: readonly StoreChange[] = stale ? [{}] : Array.from(changed, (entry) => ({ entry }));
    Object.assign(due, { stale: false, scan: false });
    changed.clear();
    changes.forEach(notify);
  };
  const onMeaning = (meaning: NonNullable<Meaning>): void => {
    if (typeof meaning === "object") changed.add(meaning.entry);
    else due[meaning] = true;
    burst ??= setTimeout(settle, BURST_MS).unref();
  };
  const onShortage = (): void => {
    polling ??= setInterval(() => {
      onMeaning("scan");
      onMeaning("stale");
    }, POLL_MS).unref();
  };
  const watchers = createFolderWatchers(dir, { onMeaning, onShortage });

  watchers.follow();
  return {
    dispose() {
      watchers.close();
      clearTimeout(burst);
      clearInterval(polling);
    },
  };
}

/** One watcher per folder of a cassette folder, because not every system has recursive watchers. */
interface FolderWatchers {
  /** Updates the watchers to the present folders. Returns whether any folder was added or removed. Never throws. */
  follow(): boolean;
  close(): void;
}

interface Reports {
  /** Something happened that matters. */
  readonly onMeaning: (meaning: NonNullable<Meaning>) => void;
  /** The system has no watcher to give. */
  readonly onShortage: () => void;
}

/** Folders within folders that may have been made while their parents got watchers. */
const ROUNDS = 8;

function createFolderWatchers(dir: string, { onMeaning, onShortage }: Reports): FolderWatchers {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly ino: number }>();

  const close = (path: string): void => {
    watchers.get(path)?.watcher.close();
    watchers.delete(path);
  };
  const open = (place: ReturnType<typeof listWatchedFolders>[number]): void => {
    const onChange = (name: string | null): void => {
      const meaning = interpretChange(place, name);
      if (meaning !== undefined) onMeaning(meaning);
    };
    // One that is back already may have its inode, but not its watcher.
    const onEnd = (): void => {
      close(place.path);
      onMeaning("scan");
    };
    try {
      watchers.set(place.path, { watcher: watchFolder(place.path, onChange, onEnd), ino: place.ino });
    } catch (error) {
      // The parent's watcher reports a folder that was removed since it was listed.
      if (getErrorCode(error) !== "ENOENT") onShortage();
    }
  };
  const followOnce = (): "same" | "fewer" | "more" => {
    const places = new Map(listWatchedFolders(dir).map((place) => [place.path, place]));
    const gone = [...watchers].filter(([path, { ino }]) => places.get(path)?.ino !== ino);
    for (const [path] of gone) close(path);
    const fresh = [...places.values()].filter(({ path }) => !watchers.has(path));
    for (const place of fresh) open(place);
    if (fresh.length > 0) return "more";
    return gone.length > 0 ? "fewer" : "same";
  };

  return {
    follow() {
      let moved = false;
      for (let round = 0; round < ROUNDS; round += 1) {
        const outcome = followOnce();
        moved ||= outcome !== "same";
        // Look again to find entries that were created before their folder was watched.
        if (outcome !== "more") break;
      }
      return moved;
    },
    close() {
      for (const path of watchers.keys()) close(path);
    },
  };
}

/**
 * Reports each changed name in a folder, and the end of watching when the folder itself is moved or deleted: another
 * folder may then have its path. Keeps no process alive. @throws the system's error if the watcher cannot be created.
 */
export function watchFolder(
  path: string,
  changed: (name: string | null) => void,
  ended: () => void,
): FSWatcher {
  const watcher = watch(path, { persistent: false }, (event, name) => {
    // A rename event with the folder's own name means that the folder itself was moved or deleted.
    if (event === "rename" && name === basename(path)) ended();
    else changed(name);
  });
  return watcher.on("error", ended);
}
