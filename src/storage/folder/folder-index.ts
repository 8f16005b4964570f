import { lstatSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { byAddress, entryReader, folderOfKey } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { storageFailure } from "./failures.ts";
import { isWithoutLinks } from "./folders.ts";
import {
  generationOf,
  isUnchangedSince,
  type UnchangedFolders,
  type WatchedFolder,
} from "../replay/unchanged-folders.ts";
import { signatureOf, stillStands, type Signature } from "./signature.ts";

/** The names of recordings as they are on disk now, at the price of one look at one folder. */
export interface FolderIndex {
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** As `takes`, by what is known at this moment: at the price of no look at a folder that has not changed. */
  known(provider: string, key: Key): readonly RecordingAddress[];
  /** The next question about this folder (`calls/<provider>/<2 hex>`) reads it anew. */
  changed(folder: string): void;
}

interface ReadFolder {
  readonly watched: WatchedFolder;
  /** That of the folder when it was looked at last. */
  generation: number | undefined;
  readonly signature: Signature;
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

const NONE: readonly RecordingAddress[] = [];

/** Remembers each folder's names for as long as the folder has not changed, by whomever. */
export function createFolderIndex(dir: string, unchanged: UnchangedFolders): FolderIndex {
  const folders = new Map<string, ReadFolder>();

  const folderNow = (inside: string): ReadFolder | undefined => {
    const now = Date.now();
    const watched = unchanged.at(inside);
    const generation = generationOf(watched); // before the look: what changes after it counts
    const stats = lstatSync(`${dir}/${inside}`, { throwIfNoEntry: false });
    const known = folders.get(inside);
    if (known !== undefined && known.signature.ino !== stats?.ino) unchanged.replaced(inside);
    if (stats?.isDirectory() !== true) {
      folders.delete(inside);
      return undefined;
    }
    if (known !== undefined && stillStands(known.signature, stats)) {
      known.generation = generation;
      return known;
    }
    const signature = signatureOf(stats, now);
    const folder = { watched, generation, signature, takes: readTakes(dir, inside) };
    folders.set(inside, folder);
    return folder;
  };

  const takes = (provider: string, key: Key): readonly RecordingAddress[] => {
    try {
      return folderNow(folderOfKey(provider, key))?.takes.get(key) ?? NONE;
    } catch (error) {
      throw storageFailure(dir, error);
    }
  };

  return {
    takes,
    known(provider, key) {
      const folder = folders.get(folderOfKey(provider, key));
      const isUnchanged = folder !== undefined && isUnchangedSince(folder.watched, folder.generation);
      return isUnchanged ? (folder.takes.get(key) ?? NONE) : takes(provider, key);
    },
    changed: (folder) => void folders.delete(folder),
  };
}

/** Of a folder that was looked at and is no link itself. */
function readTakes(dir: string, inside: string): Map<Key, RecordingAddress[]> {
  const takes = new Map<Key, RecordingAddress[]>();
  if (!isWithoutLinks(dir, posix.dirname(inside))) return takes;
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
