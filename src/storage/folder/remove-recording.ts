import { unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { claimName, makeFolders, syncFolder, discard, writeTemporary } from "./durable-write.ts";
import {
  getErrorCode,
  createNoSuchRecordingError,
  runStorageTask,
  createPlaceTaken,
  convertStorageFailure,
} from "./failures.ts";
import { readWholeFile, isWithoutLinks } from "./read-file.ts";

/** Removes a recording's file, readable or not, and resolves to its bytes. */
export async function removeRecording(dir: string, entry: string): Promise<Uint8Array> {
  if ("wrong" in readEntry(entry) || !isWithoutLinks(dir, dirname(entry)))
    throw createNoSuchRecordingError(entry);
  const path = join(dir, entry);
  try {
    const bytes = await readWholeFile(path);
    await unlink(path);
    await syncFolder(dirname(path));
    return bytes;
  } catch (error) {
    throw getErrorCode(error) === "ENOENT"
      ? createNoSuchRecordingError(entry, error)
      : convertStorageFailure(dir, error);
  }
}

/** Restores a removed file. @throws TapedeckError if another one has its name now. */
export async function restoreRecording(dir: string, entry: string, bytes: Uint8Array): Promise<void> {
  if (!(await runStorageTask(dir, () => putWhole(dir, entry, bytes)))) throw createPlaceTaken(entry);
}

/** Writes a file at an entry, whole and durably; false if its name exists. @throws the system's error. */
export async function putWhole(dir: string, entry: string, bytes: Uint8Array): Promise<boolean> {
  const folder = await makeFolders(dir, dirname(entry));
  const temporary = await writeTemporary(folder, bytes);
  try {
    if (!claimName(temporary, join(dir, entry))) return false;
  } finally {
    await discard(temporary);
  }
  await syncFolder(folder);
  return true;
}
