import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createBrokenRecording } from "../../../core/base/errors.ts";
import { cacheText, parseCacheText } from "./cache-text.ts";
import type { CacheBackEnd } from "./response-cache.ts";
import { isJsonFault } from "../../../core/base/json/json-parse.ts";
import type { JsonTree } from "../../../core/base/json/json-tree.ts";
import {
  GONE,
  runStorageTask,
  convertStorageFailure,
  recoverFromCodes,
} from "../../../storage/folder/failures.ts";
import { computeSha256, readText } from "../../../storage/folder/read-file.ts";
import { discard, replaceWhole } from "../../../storage/folder/durable-write.ts";

const NAME = /^[0-9a-f]{64}\.json$/;

/**
 * Opens a cache in a folder, with one file per entry named by the hash of its key, so that parallel processes and merges
 * do not conflict. Entries have the order of their file names. The last value of a key wins.
 */
export function rspCacheFolder(dir: string): CacheBackEnd {
  const read = async (): Promise<readonly (readonly [string, JsonTree])[]> => {
    const names = (await namesIn(dir)).filter((name) => NAME.test(name)).sort();
    return Promise.all(names.map((name) => readEntry(dir, name)));
  };
  return {
    place: dir,
    read,
    async write({ set, deleted }) {
      await runStorageTask(dir, async () => {
        await mkdir(dir, { recursive: true });
        for (const [key, value] of set) await replaceWhole(fileOf(dir, key), cacheText([[key, value]]));
        for (const key of deleted) await discard(fileOf(dir, key));
      });
      return { entries: await read(), wrote: true };
    },
  };
}

const fileOf = (dir: string, key: string): string => join(dir, `${computeSha256(key)}.json`);

async function readEntry(dir: string, name: string): Promise<readonly [string, JsonTree]> {
  const shown = join(dir, name);
  try {
    const [entry, ...more] = parseCacheText(await readText(shown));
    if (entry !== undefined && more.length === 0 && `${computeSha256(entry[0])}.json` === name) return entry;
  } catch (error) {
    if (!isJsonFault(error)) throw convertStorageFailure(dir, error);
    throw createBrokenRecording(shown, `${error.reason}.`, { line: error.line, column: error.column });
  }
  throw createBrokenRecording(shown, "its name and its key disagree.");
}

function namesIn(dir: string): Promise<readonly string[]> {
  return runStorageTask(dir, () => readdir(dir).catch(recoverFromCodes(GONE, [])));
}
