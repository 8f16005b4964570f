import { stat } from "node:fs/promises";
import { type Position, explain, isTapedeckError } from "../../core/base/errors.ts";
import { convertCacheEntryToRecording, computeCacheKey } from "../../systems/metagpt/cache/as-recording.ts";
import { type CacheEntry, answerText, readCache } from "../../systems/metagpt/cache/cache-text.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { isJsonFault, parseJson } from "../../core/base/json/json-parse.ts";
import { decodeCache } from "../../systems/metagpt/cache/rsp-cache-file.ts";
import { readBytes } from "../../storage/folder/read-file.ts";
import { computeSha256 } from "../../storage/folder/sha256.ts";
import { writePythonJson } from "../../client/python/write.ts";
import type { Miss } from "../../core/call/call.ts";
import { readFields, tryParsePlainJson, readList } from "../../core/base/lenient.ts";
import { decodeUtf8 } from "../../core/base/wire/text.ts";

/** The content of a `rsp_cache.json`, or its first error. */
type CacheContent = ReadCache | BrokenCache;

export interface ReadCache {
  readonly kind: "read";
  readonly text: string;
  /** By the digest of their key, in the order of the file. */
  readonly entries: ReadonlyMap<string, CacheEntry>;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly bytes: number;
}

export interface BrokenCache {
  readonly kind: "broken";
  readonly reason: string;
  readonly position?: Omit<Position, "file">;
}

/**
 * Reads a cache unless the file is unchanged since `known` was read. Never throws: a file that cannot be read is
 * returned as broken.
 */
async function readCacheFile(
  path: string,
  { shown, known }: { readonly shown: string; readonly known?: CacheContent | undefined },
): Promise<CacheContent> {
  try {
    const { mtimeMs, size } = await stat(path);
    if (known?.kind === "read" && known.changedAt === mtimeMs && known.bytes === size) return known;
    const bytes = await readBytes(path, { links: "followed" });
    const text = decodeCache(bytes, shown);
    const entries = new Map(readCache(text).map((entry) => [computeSha256(entry.key), entry]));
    return { kind: "read", text, entries, changedAt: mtimeMs, bytes: size };
  } catch (error) {
    if (isJsonFault(error)) {
      const { reason, line, column } = error;
      return { kind: "broken", reason, position: { line, column } };
    }
    const position = isTapedeckError(error) ? error.position : undefined;
    return { kind: "broken", reason: explain(error), ...(position && { position }) };
  }
}

/** Converts an entry to a recording, so that it is shown like other recordings. */
export function createCacheRecording(
  { text, changedAt }: ReadCache,
  digest: string,
  entry: CacheEntry,
): Recording {
  return convertCacheEntryToRecording([entry.key, parseJson(answerText(text, entry))], {
    key: `sha256:${digest}`,
    recordedAt: new Date(changedAt).toISOString(),
  });
}

/** One cache file. It is read when it is shown, and again after a change. */
export type CacheReader = ReturnType<typeof createReader>;

export interface ReaderOptions {
  /** Called when lines have to be drawn again. */
  readonly onDidRead: () => void;
}

/** `shown`: the path of the file for people. */
export function createReader(file: string, shown: string, { onDidRead }: ReaderOptions) {
  let known: CacheContent | undefined;
  let reading: Promise<CacheContent> | undefined;
  let isFresh = false;
  const read = async (): Promise<CacheContent> => {
    let content: CacheContent;
    do {
      isFresh = true;
      content = await readCacheFile(file, { shown, known });
      // The file changed while it was read.
    } while (!isFresh);
    const isSame = content === known;
    known = content;
    reading = undefined;
    if (!isSame) onDidRead();
    return content;
  };
  const latest = async (): Promise<CacheContent> =>
    known !== undefined && isFresh && reading === undefined ? known : (reading ??= read());
  return {
    /** Returns its current content. */
    latest,
    /** Returns the known content at once; the first call reads it. A changed file is read again in the background. */
    content: async () => {
      const now = latest();
      return known ?? now;
    },
    get known() {
      return known;
    },
    changed() {
      isFresh = false;
    },
  };
}

/**
 * Returns MetaGPT's key of a missing call in its cache: the texts of its request, joined like MetaGPT does. Undefined if
 * a secret was redacted, so that the texts differ from those that the test sent.
 */
export function readMissedKey({ key, request }: Pick<Miss, "key" | "request">): string | undefined {
  const messages = readList(readFields(tryParsePlainJson(decodeUtf8(request.body) ?? ""))["messages"]);
  const keys = [computeCacheKey(messages), writePythonJson(messages, "messages")];
  return keys.find((text) => `sha256:${computeSha256(text)}` === key);
}
