import type { WatchedStore } from "../../../core/cassette/store.ts";
import { basename, dirname } from "node:path";
import type { Recording, RecordingAddress } from "../../../core/cassette/recording.ts";
import { createCassetteFolderUnusable } from "../../../core/base/errors.ts";
import { createCacheRecording, readCacheFile } from "./read-cache-file.ts";
import { isJsonFault } from "../../../core/base/json/json-parse.ts";
import { createNoSuchRecordingError, runStorageTask } from "../../../storage/folder/failures.ts";
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
    hashContent: () => undefined,
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
  const file = await runStorageTask(dirname(path), () =>
    readCacheFile(path, name).catch((error: unknown) => {
      throw isJsonFault(error) ? createBrokenCacheError(name, error) : error;
    }),
  );
  return new Map(
    Array.from(file.entries, ([digest, found]) => {
      const entry = `${name}:${found.line}:${found.column}`;
      const address = { entry, provider: "openai", key: `sha256:${digest}` as const, take: 1 };
      return [entry, { address, recording: createCacheRecording(file, digest, found) }];
    }),
  );
}
