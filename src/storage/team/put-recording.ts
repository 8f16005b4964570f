import { lstatSync, mkdirSync, renameSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { Recording } from "../../core/cassette/recording.ts";
import { cassetteFolderUnusable } from "../../core/errors.ts";
import { claimName } from "../folder/atomic-write.ts";
import { discard, writeForNow } from "../folder/temporary.ts";
import { readBlob, writeBlobs } from "../folder/blobs.ts";
import { orFailure } from "../folder/failures.ts";
import { createFolderMaker } from "../folder/folders.ts";
import { readWholeFile } from "../folder/read-file.ts";
import { putWhole } from "../folder/remove-recording.ts";

/** A recording's file, with the large bodies that it names and what has to be known to put it somewhere. */
export interface FileToPut {
  readonly entry: string;
  readonly bytes: Uint8Array;
  /** By SHA-256. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** The same with the recording that it is. */
export interface RecordingFile extends FileToPut {
  readonly recording: Recording;
}

/** A recording that was put in a folder, and the state of its file. */
export interface PutFile extends RecordingFile {
  readonly written: Stats;
}

/**
 * As `putRecording`, without waiting for the disk: for what can be had again. It is whole or not there, but after a loss
 * of power. Undefined where the entry is taken there.
 */
export function putForNow(dir: string, file: RecordingFile): Promise<PutFile | undefined> {
  return withItsParts(dir, file, async ({ entry, bytes }) => {
    const path = await writeForNow(foldersIn(dir)(dirname(entry)), bytes);
    const written = lstatSync(path);
    let isPut = false;
    try {
      isPut = await claimName(path, join(dir, entry));
      return isPut ? { ...file, written } : undefined;
    } finally {
      if (!isPut) await discard(path);
    }
  });
}

/**
 * The same for what was missing a moment ago, which costs less: where somebody else brought it meanwhile, this one takes
 * its place. `folderOf` makes the folders: all that are put share one.
 */
export function putMissing(dir: string, file: FileToPut, folderOf: FoldersIn): Promise<void> {
  return withItsParts(dir, file, async ({ entry, bytes }) => {
    const path = await writeForNow(folderOf(dirname(entry)), bytes);
    try {
      renameSync(path, join(dir, entry));
    } catch (error) {
      await discard(path);
      throw error;
    }
  });
}

/** Makes a folder inside another one and gives its path. */
type FoldersIn = (inside: string) => string;

/** Makes folders in a folder and those above them, and looks at each once. Nothing is made through a link. */
export function foldersIn(dir: string): FoldersIn {
  const seen = new Set<string>();
  const made = new Map<string, string>();
  return (inside) => {
    const before = made.get(inside);
    if (before !== undefined) return before;
    let path = dir;
    for (const segment of inside.split("/")) {
      path = join(path, segment);
      if (seen.has(path)) continue;
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined) mkdirSync(path, { recursive: true });
      else if (!stats.isDirectory()) throw cassetteFolderUnusable(dir, `${path} is no folder.`);
      seen.add(path);
    }
    made.set(inside, path);
    return path;
  };
}

/**
 * Writes the very bytes into a cassette folder. False where the entry is taken there.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export function putRecording(dir: string, file: FileToPut): Promise<boolean> {
  return withItsParts(dir, file, ({ entry, bytes }) => putWhole(dir, entry, bytes));
}

/** Puts a recording's file in its place after what the file names. */
function withItsParts<T>(dir: string, file: FileToPut, put: (file: FileToPut) => Promise<T>): Promise<T> {
  return orFailure(dir, async () => {
    if (file.blobs.size > 0) await writeBlobs(dir, file.blobs, createFolderMaker(dir));
    return put(file);
  });
}

/** The file of a recording that was read from this folder. @throws the system's error where it is not there. */
export async function readRecordingFile(
  dir: string,
  entry: string,
): Promise<Omit<RecordingFile, "recording">> {
  const { bytes } = await readWholeFile(join(dir, entry));
  const blobs = new Map<string, Uint8Array>();
  for (const hash of blobsNamedIn(bytes)) {
    const blob = readBlob(dir, hash);
    if (blob !== undefined) blobs.set(hash, blob);
  }
  return { entry, bytes, blobs };
}

/** Whether any may be named in it: cheaper than to look which. */
export function mayNameBlobs(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("blobs/");
}

/** Whatever looks like the name of a large body in a recording's file: rather too many than one too few. */
export function blobsNamedIn(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return [...new Set([...text.matchAll(/blobs\/([0-9a-f]{64})/g)].map(([, hash = ""]) => hash))];
}
