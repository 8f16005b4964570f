import { lstatSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { byAddress, entryReader, folderOfKey } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call/call.ts";
import { storageFailure } from "./failures.ts";
import { isWithoutLinks } from "./read-file.ts";
import { signatureOf, stillStands, type Signature } from "./signature.ts";

/** The names of recordings as they are on disk now, at the price of one look at one folder. */
export interface FolderIndex {
  /** The takes of a key in order. @throws TapedeckError where the folder is there and cannot be read. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** Makes the next question about this folder (`calls/<provider>/<2 hex>`) read it again. */
  changed(folder: string): void;
}

interface ReadFolder {
  readonly signature: Signature;
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

const NONE: readonly RecordingAddress[] = [];

/** Remembers each folder's names for as long as the folder has not changed, by whomever. */
export function createFolderIndex(dir: string): FolderIndex {
  const folders = new Map<string, ReadFolder>();

  const readFolder = (inside: string): ReadFolder | undefined => {
    const now = Date.now();
    const stats = lstatSync(`${dir}/${inside}`, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) {
      folders.delete(inside);
      return undefined;
    }
    const known = folders.get(inside);
    if (known !== undefined && stillStands(known.signature, stats)) return known;
    const folder = { signature: signatureOf(stats, now), takes: readTakes(dir, inside) };
    folders.set(inside, folder);
    return folder;
  };

  return {
    takes(provider, key) {
      try {
        return readFolder(folderOfKey(provider, key))?.takes.get(key) ?? NONE;
      } catch (error) {
        throw storageFailure(dir, error);
      }
    },
    changed: (folder) => void folders.delete(folder),
  };
}

/** Reads the names in a folder that exists and is no link itself. */
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
