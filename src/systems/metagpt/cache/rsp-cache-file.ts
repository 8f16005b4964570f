import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeUtf8 } from "../../../core/base/wire/text.ts";
import { createBrokenRecording, createTapedeckError, type TapedeckError } from "../../../core/base/errors.ts";
import { cacheText, parseCacheText } from "./cache-text.ts";
import { applyChanges, type CacheBackEnd } from "./response-cache.ts";
import { isJsonFault, type JsonFault } from "../../../core/base/json/json-parse.ts";
import type { JsonTree } from "../../../core/base/json/json-tree.ts";
import { syncFolder, replaceWhole } from "../../../storage/folder/durable-write.ts";
import { GONE, runStorageTask, recoverFromCodes } from "../../../storage/folder/failures.ts";
import { withLock } from "../../../storage/local/lock.ts";
import { readBytes } from "../../../storage/folder/read-file.ts";

export interface RspCacheFileOptions {
  /** Name of the file in messages. Default: its path. */
  readonly shown?: string;
  /** Whether what another process added meanwhile stays ("first", as MetaGPT does it) or is replaced. Default "first". */
  readonly wins?: "first" | "last";
  /** Ignores the content of the file: the first save replaces it. For `rsp_cache_new.json`. */
  readonly startsEmpty?: boolean;
}

/**
 * Opens MetaGPT's `rsp_cache.json`. Writing keeps the entries that other processes saved meanwhile, uses a
 * temporary file, and happens only for changes. A file that cannot be read is never written.
 */
export function rspCacheFile(path: string, options: RspCacheFileOptions = {}): CacheBackEnd {
  const { shown = path, wins = "first" } = options;
  let ignoresFile = options.startsEmpty ?? false;
  return {
    place: shown,
    read: async () => (ignoresFile ? [] : (await readEntries(path, shown)).entries),
    write: (changes) =>
      runStorageTask(dirname(path), () =>
        withLock(`${path}.lock`, async () => {
          const { entries, text } = ignoresFile ? NOTHING : await readEntries(path, shown);
          const all = [...applyChanges(entries, changes, wins)];
          const wrote = !sameEntries(all, entries) || text === undefined;
          if (wrote) await writeWhole(path, cacheText(all));
          ignoresFile = false;
          return { entries: all, wrote };
        }),
      ),
  };
}

/** A removed entry. `restore` inserts it again at its place, once. */
export interface RemovedEntry {
  readonly key: string;
  /** @throws TapedeckError if its key was recorded again since, or the file is broken */
  restore(): Promise<void>;
}

/**
 * Removes one entry from MetaGPT's cache. A broken file is not written.
 * @throws TapedeckError `tapedeck_cassette` if the entry is gone, or the file cannot be read or written
 */
export async function removeCacheEntry(path: string, key: string, shown = path): Promise<RemovedEntry> {
  let cut: { readonly entry: readonly [string, JsonTree]; readonly before: string | undefined } | undefined;
  await editEntries(path, shown, (entries) => {
    const at = entries.findIndex(([one]) => one === key);
    const entry = entries[at];
    if (entry === undefined)
      throw createTapedeckError("tapedeck_cassette", `${shown} no longer has this entry.`, {
        hint: "It was deleted meanwhile; nothing was changed.",
      });
    cut = { entry, before: entries[at - 1]?.[0] };
    return entries.toSpliced(at, 1);
  });
  const restore = (): Promise<void> =>
    editEntries(path, shown, (entries) => {
      if (cut === undefined || entries.some(([one]) => one === key))
        throw createTapedeckError("tapedeck_cassette", `${shown} has an entry of this key again.`, {
          hint: "It was recorded meanwhile. Delete that one first, to have the one before.",
        });
      const { before, entry } = cut;
      const at = before === undefined ? 0 : entries.findIndex(([one]) => one === before) + 1;
      return entries.toSpliced(at === 0 && before !== undefined ? entries.length : at, 0, entry);
    });
  return { key, restore };
}

function editEntries(
  path: string,
  shown: string,
  change: (entries: ReadEntries["entries"]) => ReadEntries["entries"],
): Promise<void> {
  return runStorageTask(dirname(path), () =>
    withLock(`${path}.lock`, async () =>
      writeWhole(path, cacheText(change((await readEntries(path, shown)).entries))),
    ),
  );
}

interface ReadEntries {
  readonly entries: readonly (readonly [string, JsonTree])[];
  /** Undefined where there is no file. */
  readonly text: string | undefined;
}

const NOTHING: ReadEntries = { entries: [], text: undefined };

async function readEntries(path: string, shown: string): Promise<ReadEntries> {
  const read = readBytes(path, { links: "followed" });
  const bytes = await runStorageTask(dirname(path), () => read.catch(recoverFromCodes(GONE, undefined)));
  if (bytes === undefined) return NOTHING;
  const text = decodeCache(bytes, shown);
  try {
    return { entries: parseCacheText(text), text };
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    throw createBrokenCacheError(shown, error);
  }
}

export function createBrokenCacheError(shown: string, { reason, line, column }: JsonFault): TapedeckError {
  return createBrokenRecording(shown, `${reason}.`, { line, column });
}

/** Decodes the text of a cache. @throws TapedeckError at the first byte that is not UTF-8 */
export function decodeCache(bytes: Uint8Array, shown: string): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  const before = new TextDecoder("utf-8").decode(bytes).split("\ufffd")[0] ?? "";
  const lines = before.split("\n");
  const position = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  throw createBrokenRecording(shown, "it is not UTF-8 text.", position);
}

/** Whether both have the same entries. An unchanged value is the same object. */
function sameEntries(
  a: readonly (readonly [string, JsonTree])[],
  b: readonly (readonly [string, JsonTree])[],
): boolean {
  return a.length === b.length && a.every(([key, value], at) => key === b[at]?.[0] && value === b[at]?.[1]);
}

/** Replaces a file, or the target of a link. */
async function writeWhole(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await replaceWhole(target, text);
  await syncFolder(dirname(target));
}
