import { lstatSync, readdirSync } from "node:fs";
import { byAddress, entryReader, folderOfKey } from "../core/cassette/address.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { Key } from "../core/exchange.ts";
import { storageFailure } from "./failures.ts";
import { isWithoutLinks } from "./folders.ts";
import type { QuietFolders } from "./quiet-folders.ts";
import { signatureOf, stillStands, type Signature } from "./signature.ts";

/** The names of recordings as they are on disk now, at the price of one look at one folder. */
export interface FolderIndex {
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** As `takes`, at the price of no look at all where a take is known and the folder was looked at a moment ago, or is quiet. */
  takesLately(provider: string, key: Key): readonly RecordingAddress[];
  /** The next question about this folder (`calls/<provider>/<2 hex>`) looks at it. */
  changed(folder: string): void;
}

/** So long a look at a folder counts for calls whose recording is known; its file is looked at in any case. */
const LATELY_MS = 250;

interface Folder {
  readonly signature: Signature;
  /** On the clock that never goes back. */
  lookedAt: number;
  /** That of the folder when it was looked at, if it was watched by then. */
  generation: number | undefined;
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

const NONE: readonly RecordingAddress[] = [];

/** Remembers each folder's names for as long as the folder has not changed, by whomever. */
export function createFolderIndex(dir: string, quiet: QuietFolders): FolderIndex {
  const folders = new Map<string, Folder>();

  /** Undefined where nobody would tell of a change. */
  const generationOf = (inside: string): number | undefined => {
    const { isWatched, generation } = quiet.at(inside);
    return isWatched ? generation : undefined;
  };
  const isQuiet = (inside: string, { generation }: Folder): boolean =>
    generation !== undefined && generation === generationOf(inside);

  const folderNow = (inside: string): Folder | undefined => {
    const path = `${dir}/${inside}`;
    const now = Date.now();
    const generation = generationOf(inside); // before the look: what changes after it counts
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const known = folders.get(inside);
    if (known !== undefined && known.signature.ino !== stats?.ino) quiet.replaced(inside);
    if (stats?.isDirectory() !== true) {
      folders.delete(inside);
      return undefined;
    }
    if (known !== undefined && stillStands(known.signature, stats)) {
      return Object.assign(known, { lookedAt: performance.now(), generation });
    }
    const takes = isWithoutLinks(dir, inside) ? readTakes(path, inside) : new Map<Key, RecordingAddress[]>();
    const folder = { signature: signatureOf(stats, now), takes, lookedAt: performance.now(), generation };
    folders.set(inside, folder);
    return folder;
  };

  const takesIn = (folder: string, key: Key): readonly RecordingAddress[] => {
    try {
      return folderNow(folder)?.takes.get(key) ?? NONE;
    } catch (error) {
      throw storageFailure(dir, error);
    }
  };

  return {
    takes: (provider, key) => takesIn(folderOfKey(provider, key), key),
    takesLately(provider, key) {
      const inside = folderOfKey(provider, key);
      const folder = folders.get(inside);
      const isKnown =
        folder !== undefined && (performance.now() - folder.lookedAt <= LATELY_MS || isQuiet(inside, folder));
      return (isKnown ? folder.takes.get(key) : undefined) ?? takesIn(inside, key);
    },
    changed: (folder) => void folders.delete(folder),
  };
}

function readTakes(path: string, inside: string): Map<Key, RecordingAddress[]> {
  const takes = new Map<Key, RecordingAddress[]>();
  const read = entryReader(inside);
  for (const file of readdirSync(path, { withFileTypes: true })) {
    const address = file.isFile() ? read(file.name) : undefined;
    if (address === undefined || "wrong" in address) continue;
    const others = takes.get(address.key);
    if (others === undefined) takes.set(address.key, [address]);
    else others.push(address);
  }
  for (const several of takes.values()) several.sort(byAddress);
  return takes;
}
