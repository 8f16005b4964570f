import { dirname } from "node:path";
import { createTapedeckError } from "../../../core/base/errors.ts";
import { cutEntry, restoreCutEntry, type CutEntry } from "./cut-entry.ts";
import { readCache, type CacheEntry } from "./read-cache.ts";
import { isJsonFault } from "../../../core/base/json/json-parse.ts";
import { convertStorageFailure } from "../../../storage/folder/failures.ts";
import { withLock } from "../../../storage/local/lock.ts";
import { readBytes } from "../../../storage/folder/read-file.ts";
import { createBrokenCacheError, decodeCache, writeWhole } from "./rsp-cache-file.ts";

/** A removed entry. `restore` inserts it again at its place, once. */
export interface RemovedEntry {
  readonly key: string;
  /** @throws TapedeckError if its key was recorded again since, or the file is broken */
  restore(): Promise<void>;
}

/**
 * Removes one entry from MetaGPT's cache and changes no other byte. A broken file is not written.
 * @throws TapedeckError `tapedeck_cassette` where the entry is gone, or the file cannot be read or written
 */
export async function removeCacheEntry(path: string, key: string, shown = path): Promise<RemovedEntry> {
  const cut = await edit(path, shown, (text, entries) => {
    const done = cutEntry(text, entries, key);
    if (done === undefined)
      throw createTapedeckError("tapedeck_cassette", `${shown} no longer has this entry.`, GONE);
    return { text: done.text, result: done.cut };
  });
  return { key, restore: () => restore(path, shown, cut) };
}

const GONE = { hint: "It was deleted meanwhile; nothing was changed." };

async function restore(path: string, shown: string, cut: CutEntry): Promise<void> {
  await edit(path, shown, (text, entries) => {
    const restored = restoreCutEntry(text, entries, cut);
    if (restored !== undefined) return { text: restored, result: undefined };
    throw createTapedeckError("tapedeck_cassette", `${shown} has an entry of this key again.`, {
      hint: "It was recorded meanwhile. Delete that one first, to have the one before.",
    });
  });
}

async function edit<T>(
  path: string,
  shown: string,
  change: (text: string, entries: readonly CacheEntry[]) => { readonly text: string; readonly result: T },
): Promise<T> {
  try {
    return await withLock(`${path}.lock`, async () => {
      const before = decodeCache(await readBytes(path, { links: "followed" }), shown);
      const { text, result } = change(before, readCache(before));
      await writeWhole(path, text);
      return result;
    });
  } catch (error) {
    if (isJsonFault(error)) throw createBrokenCacheError(shown, error);
    throw convertStorageFailure(dirname(path), error);
  }
}
