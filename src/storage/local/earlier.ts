import { copyFile, link } from "node:fs/promises";
import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { discard, replaceWhole, syncFolder } from "../folder/durable-write.ts";
import {
  getErrorCode,
  createNoSuchRecordingError,
  runStorageTask,
  convertStorageFailure,
} from "../folder/failures.ts";
import { openLocalFolder, getLocalPath } from "./local-state.ts";
import { isWithoutLinks, readWholeFile } from "../folder/read-file.ts";

/**
 * The earlier content of refreshed recordings, kept on this machine until the new one is accepted, so that discarding
 * it restores the earlier one. It is stored at `.local/earlier/calls/…`, with its path in the cassette folder.
 */
const EARLIER = "earlier";

export const hasEarlier = (dir: string, entry: string): boolean => existsSync(pathOf(dir, entry));

/**
 * Keeps the present content of an entry before it is replaced, unless an older one is kept already. A failure does not
 * prevent recording. Resolves to whether the content was added.
 */
export async function keepEarlier(dir: string, entry: string): Promise<boolean> {
  const from = join(dir, entry);
  const to = pathOf(dir, entry);
  if (existsSync(to) || lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    await openLocalFolder(dir, `${EARLIER}/${dirname(entry)}`);
    await link(from, to).catch(async (error: unknown) => {
      if (getErrorCode(error) !== "EEXIST") await copyFile(from, to);
    });
    return true;
  } catch {
    await discard(to);
    return false;
  }
}

/** Returns the earlier content of an entry. @throws TapedeckError if none is kept or it cannot be read. */
export async function readEarlier(dir: string, entry: string): Promise<Recording> {
  const { readRecordingAt } = await import("../folder/recording-reader.ts");
  return readRecordingAt(entry, pathOf(dir, entry), dir);
}

export async function dropEarlier(dir: string, entries: Iterable<string>): Promise<void> {
  for (const entry of entries) if (isOurs(dir, entry)) await discard(pathOf(dir, entry));
}

/**
 * Puts the earlier text in the place of the present one. Resolves to a function that puts the present one back.
 * @throws TapedeckError if none is kept or it cannot be written; the present one is unchanged then.
 */
export async function restoreEarlier(dir: string, entry: string): Promise<() => Promise<void>> {
  if (!isOurs(dir, entry) || !isWithoutLinks(dir, dirname(entry))) throw createNoSuchRecordingError(entry);
  const target = join(dir, entry);
  try {
    const earlier = await readWholeFile(pathOf(dir, entry));
    const present = await readWholeFile(target);
    await overwrite(target, earlier);
    await discard(pathOf(dir, entry));
    return async () => {
      await keepEarlier(dir, entry);
      await runStorageTask(dir, () => overwrite(target, present));
    };
  } catch (error) {
    throw getErrorCode(error) === "ENOENT"
      ? createNoSuchRecordingError(entry, error)
      : convertStorageFailure(dir, error);
  }
}

async function overwrite(target: string, bytes: Uint8Array): Promise<void> {
  await replaceWhole(target, bytes);
  await syncFolder(dirname(target));
}

/** The target of a link does not belong to the folder. */
function isOurs(dir: string, entry: string): boolean {
  return !("wrong" in readEntry(entry)) && isWithoutLinks(dir, dirname(getLocalPath(`${EARLIER}/${entry}`)));
}

function pathOf(dir: string, entry: string): string {
  return join(dir, getLocalPath(EARLIER), dirname(entry), basename(entry));
}
