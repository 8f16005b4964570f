import type { WatchedStore } from "../../../core/cassette/store.ts";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Recording, RecordingAddress } from "../../../core/cassette/recording.ts";
import { createCassetteFolderUnusable } from "../../../core/base/errors.ts";
import type { Key } from "../../../core/call/call.ts";
import { convertCacheEntryToRecording } from "./as-recording.ts";
import { answerText, type CacheEntry, readCache } from "./cache-text.ts";
import { isJsonFault, parseJson } from "../../../core/base/json/json-parse.ts";
import { createNoSuchRecordingError, runStorageTask } from "../../../storage/folder/failures.ts";
import { readText } from "../../../storage/folder/read-file.ts";
import { computeSha256 } from "../../../storage/folder/sha256.ts";
import { createBrokenCacheError } from "./rsp-cache-file.ts";

interface Entry {
  readonly address: RecordingAddress;
  readonly recording: Recording;
}

/**
 * Shows MetaGPT's `rsp_cache.json` as recordings, one per entry. Each is named `<file>:<line>:<column>`, which editors and
 * terminals turn into a link. The file is read again for every list, and never written, because MetaGPT's keys decide what
 * it answers, not those of HTTP requests.
 */
export function createRspCacheStore(path: string): WatchedStore {
  let entries: ReadonlyMap<string, Entry> | undefined;
  const load = async (): Promise<ReadonlyMap<string, Entry>> => (entries = await readEntries(path));
  const find = async (entry: string): Promise<Recording> => {
    const found = (entries ?? (await load())).get(entry);
    if (found === undefined) throw createNoSuchRecordingError(entry);
    return found.recording;
  };
  const refuse = async (): Promise<never> => {
    throw createCassetteFolderUnusable(path, "it is MetaGPT's cache, which is written by tests that pass.");
  };
  return {
    takes: () => [],
    standing: () => undefined,
    read: find,
    list: async () => [...(await load()).values()].map(({ address }) => address),
    save: refuse,
    replace: refuse,
    remove: refuse,
    watch: () => ({ dispose: () => undefined }),
  };
}

async function readEntries(path: string): Promise<ReadonlyMap<string, Entry>> {
  const name = basename(path);
  const [text, recordedAt] = await runStorageTask(dirname(path), async () => [
    await readText(path, { links: "followed" }),
    (await stat(path)).mtime.toISOString(),
  ]);
  return new Map(
    readCacheOf(text, name).map((found) => {
      const key: Key = `sha256:${computeSha256(found.key)}`;
      const entry = `${name}:${found.line}:${found.column}`;
      const pair = [found.key, parseJson(answerText(text, found))] as const;
      const address = { entry, provider: "openai", key, take: 1 };
      return [entry, { address, recording: convertCacheEntryToRecording(pair, { key, recordedAt }) }];
    }),
  );
}

function readCacheOf(text: string, name: string): readonly CacheEntry[] {
  try {
    return readCache(text);
  } catch (error) {
    throw isJsonFault(error) ? createBrokenCacheError(name, error) : error;
  }
}
