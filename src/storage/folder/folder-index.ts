import { lstatSync, readdirSync } from "node:fs";
import { byAddress, entryReader, folderOfKey } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { storageFailure } from "./failures.ts";
import { isWithoutLinks } from "./folders.ts";
import { isQuietSince, type QuietFolder, type QuietFolders } from "../replay/quiet-folders.ts";
import { signatureOf, stillStands, type Signature } from "./signature.ts";

/** The names of recordings as they are on disk now, at the price of one look at one folder. */
export interface FolderIndex {
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** As `takes`, at the price of no look at all where a take is known and the folder was looked at a moment ago, or is quiet. */
  takesLately(provider: string, key: Key): readonly RecordingAddress[];
  /** What `takesLately` gives, with the folder that says for how long; undefined where there is none. */
  find(provider: string, key: Key): FoundTakes | undefined;
  /** The next question about this folder (`calls/<provider>/<2 hex>`) looks at it. */
  changed(folder: string): void;
}

/** So long a look at a folder counts for calls whose recording is known; its file is looked at in any case. */
const LATELY_MS = 250;

/** When a folder was looked at. Who remembers takes keeps this and not the names of all the others beside them. */
export interface SeenFolder {
  readonly watched: QuietFolder;
  /** False once it was read anew, or is to be. */
  isLast: boolean;
  /** On the clock that never goes back. */
  lookedAt: number;
  /** That of the folder when it was looked at, if it was watched by then. */
  generation: number | undefined;
}

interface ReadFolder {
  readonly seen: SeenFolder;
  readonly signature: Signature;
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

export interface FoundTakes {
  readonly folder: SeenFolder;
  readonly takes: readonly RecordingAddress[];
}

const NONE: readonly RecordingAddress[] = [];

/** Remembers each folder's names for as long as the folder has not changed, by whomever. */
export function createFolderIndex(dir: string, quiet: QuietFolders): FolderIndex {
  const folders = new Map<string, ReadFolder>();

  const forget = (inside: string): void => {
    const folder = folders.get(inside);
    if (folder === undefined) return;
    folder.seen.isLast = false;
    folders.delete(inside);
    quiet.changes.count += 1;
  };

  const folderNow = (inside: string): ReadFolder | undefined => {
    const now = Date.now();
    const watched = quiet.at(inside);
    const generation = watched.isWatched ? watched.generation : undefined; // before the look: what changes after it counts
    const stats = lstatSync(`${dir}/${inside}`, { throwIfNoEntry: false });
    const known = folders.get(inside);
    if (known !== undefined && known.signature.ino !== stats?.ino) quiet.replaced(inside);
    if (stats?.isDirectory() !== true) {
      forget(inside);
      return undefined;
    }
    if (known !== undefined && stillStands(known.signature, stats)) {
      Object.assign(known.seen, { lookedAt: performance.now(), generation });
      return known;
    }
    const seen = { watched, isLast: true, lookedAt: performance.now(), generation };
    const folder = { seen, signature: signatureOf(stats, now), takes: readTakes(dir, inside) };
    forget(inside);
    folders.set(inside, folder);
    return folder;
  };

  const look = (inside: string, key: Key): FoundTakes | undefined => {
    try {
      return takesIn(folderNow(inside), key);
    } catch (error) {
      throw storageFailure(dir, error);
    }
  };

  const find = (provider: string, key: Key): FoundTakes | undefined => {
    const inside = folderOfKey(provider, key);
    return currentTakesIn(folders.get(inside), key) ?? look(inside, key);
  };

  return {
    takes: (provider, key) => look(folderOfKey(provider, key), key)?.takes ?? NONE,
    takesLately: (provider, key) => find(provider, key)?.takes ?? NONE,
    find,
    changed: forget,
  };
}

/** Whether takes that were found in this folder are those that `takesLately` would give. */
export function isCurrent(folder: SeenFolder): boolean {
  return isQuiet(folder) || (folder.isLast && performance.now() - folder.lookedAt <= LATELY_MS);
}

/** Whether they are for as long as nobody hears of a change. */
export function isQuiet({ isLast, watched, generation }: SeenFolder): boolean {
  return isLast && isQuietSince(watched, generation);
}

function currentTakesIn(folder: ReadFolder | undefined, key: Key): FoundTakes | undefined {
  return folder !== undefined && isCurrent(folder.seen) ? takesIn(folder, key) : undefined;
}

function takesIn(folder: ReadFolder | undefined, key: Key): FoundTakes | undefined {
  const takes = folder?.takes.get(key);
  return folder && takes && { folder: folder.seen, takes };
}

function readTakes(dir: string, inside: string): Map<Key, RecordingAddress[]> {
  const takes = new Map<Key, RecordingAddress[]>();
  if (!isWithoutLinks(dir, inside)) return takes;
  const read = entryReader(inside);
  for (const file of readdirSync(`${dir}/${inside}`, { withFileTypes: true })) {
    const address = file.isFile() ? read(file.name) : undefined;
    if (address === undefined || "wrong" in address) continue;
    const others = takes.get(address.key);
    if (others === undefined) takes.set(address.key, [address]);
    else others.push(address);
  }
  for (const several of takes.values()) several.sort(byAddress);
  return takes;
}
