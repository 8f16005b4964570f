import type { FSWatcher } from "node:fs";
import { codeOf } from "../folder/failures.ts";
import { watchFolder } from "./watch-folder.ts";
import { foldersNow, meaningOf, type Meaning } from "./watched-places.ts";

/** A watcher for each folder of a cassette folder: a recursive one is not to be had everywhere. */
export interface FolderWatchers {
  /** Gives every folder that is there now its watcher; says whether any came or went. Never throws. */
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

export function createFolderWatchers(dir: string, { onMeaning, onShortage }: Reports): FolderWatchers {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly ino: number }>();

  const close = (path: string): void => {
    watchers.get(path)?.watcher.close();
    watchers.delete(path);
  };
  const open = (place: ReturnType<typeof foldersNow>[number]): void => {
    const onChange = (name: string | null): void => {
      const meaning = meaningOf(place, name);
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
      // One that went since it was listed is told of by its parent's watcher.
      if (codeOf(error) !== "ENOENT") onShortage();
    }
  };
  const followOnce = (): "same" | "fewer" | "more" => {
    const places = new Map(foldersNow(dir).map((place) => [place.path, place]));
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
        // What was made before its parent was watched is found by looking again.
        if (outcome !== "more") break;
      }
      return moved;
    },
    close() {
      for (const path of watchers.keys()) close(path);
    },
  };
}
