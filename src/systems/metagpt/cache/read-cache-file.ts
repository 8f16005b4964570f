import { stat } from "node:fs/promises";
import type { Recording } from "../../../core/cassette/recording.ts";
import { parseJson } from "../../../core/base/json/json-parse.ts";
import { computeSha256, readBytes } from "../../../storage/folder/read-file.ts";
import { convertCacheEntryToRecording } from "./as-recording.ts";
import { answerText, type CacheEntry, readCache } from "./cache-text.ts";
import { decodeCache } from "./rsp-cache-file.ts";

/** The content of a `rsp_cache.json`. */
export interface CacheFile {
  readonly text: string;
  /** By the digest of their key, in the order of the file. */
  readonly entries: ReadonlyMap<string, CacheEntry>;
  /** Milliseconds since the epoch. The file has no times of answers. */
  readonly changedAt: number;
  readonly bytes: number;
}

/**
 * Reads a cache unless the file is unchanged since `known` was read. `shown` is its name in messages.
 * @throws JsonFault, TapedeckError, or the system's error if it cannot be read
 */
export async function readCacheFile(path: string, shown: string, known?: CacheFile): Promise<CacheFile> {
  const { mtimeMs, size } = await stat(path);
  if (known?.changedAt === mtimeMs && known.bytes === size) return known;
  const text = decodeCache(await readBytes(path, { links: "followed" }), shown);
  const entries = new Map(readCache(text).map((entry) => [computeSha256(entry.key), entry]));
  return { text, entries, changedAt: mtimeMs, bytes: size };
}

/** Converts an entry to a recording, so that it is shown like other recordings. */
export function createCacheRecording(
  { text, changedAt }: CacheFile,
  digest: string,
  entry: CacheEntry,
): Recording {
  return convertCacheEntryToRecording([entry.key, parseJson(answerText(text, entry))], {
    key: `sha256:${digest}`,
    recordedAt: new Date(changedAt).toISOString(),
  });
}
