import { stat } from "node:fs/promises";
import { type Position, explain, isTapedeckError } from "../../core/base/errors.ts";
import { cacheEntryAsRecording, cacheKeyOf } from "../../systems/metagpt/cache/as-recording.ts";
import { type CacheEntry, answerText, readCache } from "../../systems/metagpt/cache/read-cache.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { isJsonFault, parseJson } from "../../core/base/json/json-parse.ts";
import { decodeCache } from "../../systems/metagpt/cache/rsp-cache-file.ts";
import { readBytes } from "../../storage/folder/read-file.ts";
import { sha256 } from "../../storage/folder/sha256.ts";
import { pythonJson } from "../../client/python/write.ts";
import type { Miss } from "../../core/call/call.ts";
import { fieldsOf, jsonIn, listOf } from "../../core/base/lenient.ts";
import { utf8 } from "../../core/base/wire/text.ts";

/** What a `rsp_cache.json` holds, or where it is wrong. */
type CacheContent = ReadCache | BrokenCache;

export interface ReadCache {
  readonly kind: "read";
  readonly text: string;
  /** In order, by the digest of their key. */
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
    const entries = new Map(readCache(text).map((entry) => [sha256(entry.key), entry]));
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

/** The entry as a recording, to be shown as any other. */
export function recordingOf({ text, changedAt }: ReadCache, digest: string, entry: CacheEntry): Recording {
  return cacheEntryAsRecording([entry.key, parseJson(answerText(text, entry))], {
    key: `sha256:${digest}`,
    recordedAt: new Date(changedAt).toISOString(),
  });
}

/** One cache file, read when somebody looks into it and again after it changed. */
export type CacheReader = ReturnType<typeof createReader>;

export interface ReaderOptions {
  /** Lines have to be drawn again. */
  readonly onDidRead: () => void;
}

/** `shown`: how people know the file. */
export function createReader(file: string, shown: string, { onDidRead }: ReaderOptions) {
  let known: CacheContent | undefined;
  let reading: Promise<CacheContent> | undefined;
  let isFresh = false;
  const read = async (): Promise<CacheContent> => {
    let content: CacheContent;
    do {
      isFresh = true;
      content = await readCacheFile(file, { shown, known });
      // A file that changed while it was read is read again.
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
 * Returns MetaGPT's key of a miss in its cache: the texts of its request, joined as MetaGPT joins them. Undefined where
 * they are not what the test sent, because a secret was redacted.
 */
export function missedKey({ key, request }: Pick<Miss, "key" | "request">): string | undefined {
  const messages = listOf(fieldsOf(jsonIn(utf8(request.body) ?? ""))["messages"]);
  const keys = [cacheKeyOf(messages), pythonJson(messages, "messages")];
  return keys.find((text) => `sha256:${sha256(text)}` === key);
}
