import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { join, posix } from "node:path";
import { byAddress, entryReader, folderOfKey, type NoEntry } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call/call.ts";
import { codeOf, storageFailure } from "./failures.ts";
import { isSameState, isWithoutLinks } from "./read-file.ts";
import { isTemporary } from "./durable-write.ts";

/** The names of recordings as they are on disk now. A folder is read again only if it changed. */
export interface FolderIndex {
  /** The takes of a key in order, for a look at one folder. @throws TapedeckError if the folder cannot be read. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** Everything under `calls`. The same object if nothing changed. @throws TapedeckError as `takes` */
  survey(): Survey;
  /** Makes the next look at this folder (`calls/<provider>/<2 hex>`) read it again. */
  changed(folder: string): void;
}

/** All names under `calls`. */
export interface Survey {
  /** By provider, key, and take. */
  readonly addresses: readonly RecordingAddress[];
  /** Files that are not recordings by name or kind, sorted by path. They are not touched. */
  readonly strays: readonly Stray[];
}

/** A file or folder that is in the way of nothing, but is not a recording either. */
export interface Stray {
  /** Relative to the cassette folder, "/" between segments. */
  readonly path: string;
  /** Why it is none, as a sentence about "it". */
  readonly reason: string;
}

/** Files of operating systems and git. */
const HARMLESS = new Set([
  ".DS_Store",
  "Thumbs.db",
  "desktop.ini",
  ".gitkeep",
  ".gitignore",
  ".gitattributes",
]);

/** A folder of recordings as it was read. */
interface KeysFolder {
  readonly signature: Signature;
  readonly recordings: readonly RecordingAddress[];
  readonly strays: readonly Stray[];
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

export function createFolderIndex(dir: string): FolderIndex {
  const folders = new Map<string, KeysFolder>();
  let last: { readonly folders: readonly KeysFolder[]; readonly survey: Survey } | undefined;

  const readFolder = (inside: string): KeysFolder | undefined => {
    const now = Date.now();
    const stats = lstatSync(`${dir}/${inside}`, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) {
      folders.delete(inside);
      return undefined;
    }
    const known = folders.get(inside);
    if (known !== undefined && stillStands(known.signature, stats)) return known;
    const names = isWithoutLinks(dir, posix.dirname(inside)) ? namesIn(`${dir}/${inside}`) : [];
    const folder = { signature: signatureOf(stats, now), ...sortNames(names, inside) };
    folders.set(inside, folder);
    return folder;
  };
  const survey = (): Survey => {
    const strays: Stray[] = [];
    const found = keysFolders(dir, strays).flatMap((inside) => readFolder(inside) ?? []);
    if (last !== undefined && strays.length === 0 && isSameList(found, last.folders)) return last.survey;
    strays.push(...found.flatMap((folder) => folder.strays));
    const addresses = found.flatMap(({ recordings }) => recordings).sort(byAddress);
    last = {
      folders: found,
      survey: { addresses, strays: strays.sort((a, b) => (a.path < b.path ? -1 : 1)) },
    };
    return last.survey;
  };
  const orFailure = <T>(look: () => T): T => {
    try {
      return look();
    } catch (error) {
      throw storageFailure(dir, error);
    }
  };

  return {
    takes: (provider, key) => orFailure(() => readFolder(folderOfKey(provider, key))?.takes.get(key)) ?? NONE,
    survey: () => orFailure(survey),
    changed: (folder) => void folders.delete(folder),
  };
}

const isSameList = (one: readonly KeysFolder[], other: readonly KeysFolder[]): boolean =>
  one.length === other.length && one.every((folder, at) => folder === other[at]);

const NONE: readonly RecordingAddress[] = [];

/** Returns the files among the recordings of a folder that are not recordings. @throws TapedeckError if a folder cannot be read. */
export const straysIn = (dir: string): readonly Stray[] => createFolderIndex(dir).survey().strays;

/** The paths of the folders that hold recordings, in order. Anything else in the folders above them is a stray. */
function keysFolders(dir: string, strays: Stray[]): readonly string[] {
  if (!isCallsFolder(dir, strays)) return [];
  const foldersIn = (folder: string): readonly string[] => {
    const names = namesIn(`${dir}/${folder}`);
    const files = names.filter((child) => !child.isDirectory());
    strays.push(...sortNames(files, folder).strays);
    return names.flatMap((child) => (child.isDirectory() ? [`${folder}/${child.name}`] : [])).sort();
  };
  return foldersIn("calls").flatMap(foldersIn);
}

function isCallsFolder(dir: string, strays: Stray[]): boolean {
  const stats = lstatSync(join(dir, "calls"), { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return stats !== undefined;
  const what = stats.isSymbolicLink()
    ? "a symbolic link, and none is followed here"
    : "a file in the place of a folder";
  strays.push({ path: "calls", reason: `it is ${what}.` });
  return false;
}

function sortNames(names: readonly Dirent[], folder: string): Omit<KeysFolder, "signature"> {
  const read = entryReader(folder);
  const recordings: RecordingAddress[] = [];
  const strays: Stray[] = [];
  for (const child of names) {
    const address = read(child.name);
    if (child.isFile() && !("wrong" in address)) recordings.push(address);
    else if (!(child.isFile() && isTemporary(child.name)) && !HARMLESS.has(child.name))
      strays.push({ path: `${folder}/${child.name}`, reason: reasonFor(child, address) });
  }
  recordings.sort(byAddress);
  const takes = new Map<Key, RecordingAddress[]>();
  for (const address of recordings) {
    const others = takes.get(address.key);
    if (others === undefined) takes.set(address.key, [address]);
    else others.push(address);
  }
  return { recordings, strays, takes };
}

function reasonFor(child: Dirent, address: RecordingAddress | NoEntry): string {
  if (child.isSymbolicLink()) return "it is a symbolic link, and none is followed here.";
  if (child.isDirectory()) return "it is a folder where recordings lie.";
  if (!child.isFile()) return "it is not a file.";
  return "wrong" in address ? address.wrong : "it is not a recording.";
}

/** None of a folder that was deleted since its name was read. */
function namesIn(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Identifies the state of a file or folder without reading it. */
export interface Signature extends Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs"> {
  /** False while a change could still happen within the same tick of the file system's clock. */
  readonly settled: boolean;
}

/** Longer than a tick of any file system's clock: FAT has even seconds only. */
const TICK_MS = 2_100;

/** `stats` must have been taken before the content was read, `now` before `stats`. */
export function signatureOf(stats: Stats, now: number): Signature {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  // An age below zero is a server whose clock is ahead: its stamps prove nothing either.
  const age = now - Math.max(mtimeMs, ctimeMs);
  return { ino, size, mtimeMs, ctimeMs, settled: age > TICK_MS };
}

/**
 * Whether content read under `seen` is still current. Compares the change time, too, because programs can set the
 * modification time.
 */
export function stillStands(seen: Signature, stats: Stats): boolean {
  return seen.settled && isSameState(seen, stats);
}
