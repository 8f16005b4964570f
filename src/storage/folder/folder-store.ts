import { localize } from "../../core/base/localize.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import {
  NO_CONTENT,
  type RemovedRecording,
  type StoreChange,
  type WatchedStore,
} from "../../core/cassette/store.ts";
import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { join, posix, resolve } from "node:path";
import { computeKey, type Normalizer } from "../../core/match/key/key.ts";
import { convertStorageFailure, getErrorCode } from "./failures.ts";
import { createListeners, type Listeners } from "../../core/call/listeners.ts";
import { createRecordingReader, type VerifiedFiles } from "./recording-reader.ts";
import { createRecordingWriter } from "./recording-writer.ts";
import { removeRecording, restoreRecording } from "./remove-recording.ts";
import { watchCassettes } from "../watch/watch.ts";
import { byAddress, createEntryReader, getFolderOfKey, type NoEntry } from "../../core/cassette/address.ts";
import type { Key } from "../../core/call/call.ts";
import { computeSha256, hashFile, isSameState, isWithoutLinks } from "./read-file.ts";
import { isTemporary } from "./durable-write.ts";
import { finishMoves } from "./moves.ts";

export interface FolderStoreOptions {
  /** Returns the rules by which recordings are named. Default: none. */
  readonly normalizer?: () => Normalizer | undefined;
  /** Remembers which files were verified against their keys. Default: every replay verifies. */
  readonly facts?: VerifiedFiles;
}

/**
 * Stores recordings as files in a folder that git, editors, and other processes may change at any time. The first
 * recording creates the folder. Nothing is read in advance.
 */
export function createFolderStore(dir: string, options: FolderStoreOptions = {}): WatchedStore {
  const { normalizer = () => undefined } = options;
  const root = resolve(dir);
  const index = createFolderIndex(root);
  const reader = createRecordingReader(
    root,
    (request) => computeKey(request, computeSha256, normalizer()),
    options.facts,
  );
  const writer = createRecordingWriter({ dir: root, index });
  let listeners: Listeners<StoreChange> | undefined;
  const noteChange = (entry: string): void => {
    index.changed(posix.dirname(entry));
    listeners?.notify({ entry });
  };
  const fail = (error: unknown): never => {
    throw convertStorageFailure(root, error);
  };

  return {
    takes: index.takes,
    read: reader.read,
    list: async () => index.survey().addresses,
    async save(recording, number) {
      const address = await writer.add(recording, number).catch(fail);
      noteChange(address.entry);
      return address;
    },
    hashContent: (entry) => standingAt(join(root, entry)),
    async replace(entry, recording, since, together = []) {
      const changes = [{ entry, recording, since }, ...together];
      await writer.replace(changes).catch(fail);
      for (const change of changes) noteChange(change.entry);
    },
    remove: (entry) => removeFrom(root, entry, noteChange),
    watch(listener) {
      listeners ??= createListeners(() => watchCassettes(root, (change) => listeners?.notify(change)));
      return listeners.add(listener);
    },
  };
}

/**
 * Returns the hash of a file's content; undefined if it cannot be read. A file that became empty a moment ago is being
 * saved by an editor, so that its content is not known yet.
 */
function standingAt(path: string): string | undefined {
  try {
    const { size, mtimeMs } = lstatSync(path);
    const isBegun = size === 0 && Date.now() - mtimeMs < BEGUN_MS;
    return isBegun ? NO_CONTENT : hashFile(path);
  } catch {
    return undefined;
  }
}

/** Maximum time between emptying and filling a file for editors that save in place. */
const BEGUN_MS = 2_000;

async function removeFrom(
  root: string,
  entry: string,
  changed: (entry: string) => void,
): Promise<RemovedRecording> {
  const bytes = await removeRecording(root, entry);
  changed(entry);
  return {
    entry,
    async restore() {
      await restoreRecording(root, entry, bytes);
      changed(entry);
    },
  };
}

/** All names under `calls`. */
interface Survey {
  /** Sorted by provider, key, and take. */
  readonly addresses: readonly RecordingAddress[];
  /** Files that are not recordings by name or kind, sorted by path. They are not touched. */
  readonly strays: readonly Stray[];
}

/** A file or folder among the recordings that is not a recording. */
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

/** The content of a folder of recordings. */
interface KeysFolder {
  readonly signature: Signature;
  readonly recordings: readonly RecordingAddress[];
  readonly strays: readonly Stray[];
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

/** Lists the recordings that are on disk now. Reads a folder again only if it changed. */
export function createFolderIndex(dir: string) {
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
    if (known !== undefined && isUnchanged(known.signature, stats)) return known;
    const list = (): readonly Dirent[] =>
      isWithoutLinks(dir, posix.dirname(inside)) ? namesIn(`${dir}/${inside}`) : [];
    let names = list();
    // A temporary file may belong to a replacement whose process was killed.
    if (names.some(({ name }) => isTemporary(name)) && finishMoves(dir).length > 0) names = list();
    const folder = { signature: createSignature(stats, now), ...sortNames(names, inside) };
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
      throw convertStorageFailure(dir, error);
    }
  };

  return {
    takes: (provider: string, key: Key): readonly RecordingAddress[] =>
      orFailure(() => readFolder(getFolderOfKey(provider, key))?.takes.get(key)) ?? NONE,
    /** Lists everything under `calls`. Returns the same object if nothing changed. @throws TapedeckError as `takes` */
    survey: (): Survey => orFailure(survey),
    /** Makes the next look at this folder (`calls/<provider>/<2 hex>`) read it again. */
    changed: (folder: string): void => void folders.delete(folder),
  };
}

const isSameList = (one: readonly KeysFolder[], other: readonly KeysFolder[]): boolean =>
  one.length === other.length && one.every((folder, at) => folder === other[at]);

const NONE: readonly RecordingAddress[] = [];

/** Returns the files among the recordings of a folder that are not recordings. @throws TapedeckError if a folder cannot be read. */
export const listStrays = (dir: string): readonly Stray[] => createFolderIndex(dir).survey().strays;

/** Returns the sorted paths of the folders that contain recordings. Reports everything else above them as a stray. */
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
  const reason = stats.isSymbolicLink()
    ? localize("it is a symbolic link, and links are not followed here.")
    : localize("it is a file in place of a folder.");
  strays.push({ path: "calls", reason });
  return false;
}

function sortNames(names: readonly Dirent[], folder: string): Omit<KeysFolder, "signature"> {
  const read = createEntryReader(folder);
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
  if (child.isSymbolicLink()) return localize("it is a symbolic link, and links are not followed here.");
  if (child.isDirectory()) return localize("it is a folder among recordings.");
  if (!child.isFile()) return localize("it is not a file.");
  return "wrong" in address ? address.wrong : localize("it is not a recording.");
}

/** Lists a folder; returns an empty list if it was deleted meanwhile. */
function namesIn(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Identifies the state of a file or folder without reading it. */
export interface Signature extends Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs"> {
  /** False while a change could still happen within the same tick of the file system's clock. */
  readonly settled: boolean;
}

/** Longer than the clock resolution of any file system: FAT stores even seconds. */
const TICK_MS = 2_100;

/** `stats` must have been taken before the content was read, `now` before `stats`. */
export function createSignature(stats: Stats, now: number): Signature {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  // The clock of a file server may be ahead: then the age is below zero, and the times prove nothing.
  const age = now - Math.max(mtimeMs, ctimeMs);
  return { ino, size, mtimeMs, ctimeMs, settled: age > TICK_MS };
}

/**
 * Whether content read under `seen` is still current. Compares the change time, too, because programs can set the
 * modification time.
 */
export function isUnchanged(known: Signature, stats: Stats): boolean {
  return known.settled && isSameState(known, stats);
}
