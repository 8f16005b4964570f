import { type Position, explain, isTapedeckError } from "../../core/base/errors.ts";
import { computeCacheKey } from "../../systems/metagpt/cache/as-recording.ts";
import { type CacheFile, readCacheFile } from "../../systems/metagpt/cache/read-cache-file.ts";
import { isJsonFault } from "../../core/base/json/json-parse.ts";
import { computeSha256 } from "../../storage/folder/read-file.ts";
import { writePythonJson } from "../../client/python/write.ts";
import type { Miss } from "../../core/call/call.ts";
import { readFields, tryParsePlainJson, readList } from "../../core/base/lenient.ts";
import { decodeUtf8 } from "../../core/base/wire/text.ts";

/** The content of a `rsp_cache.json`, or its first error. */
type CacheContent = ReadCache | BrokenCache;

export interface ReadCache extends CacheFile {
  readonly kind: "read";
}

export interface BrokenCache {
  readonly kind: "broken";
  readonly reason: string;
  readonly position?: Omit<Position, "file">;
}

/** Reads a cache as `readCacheFile`, but never throws: a file that cannot be read is returned as broken. */
async function readContent(
  path: string,
  { shown, known }: { readonly shown: string; readonly known?: CacheContent | undefined },
): Promise<CacheContent> {
  try {
    const before = known?.kind === "read" ? known : undefined;
    const file = await readCacheFile(path, shown, before);
    return file === before ? before : { kind: "read", ...file };
  } catch (error) {
    if (isJsonFault(error)) {
      const { reason, line, column } = error;
      return { kind: "broken", reason, position: { line, column } };
    }
    const position = isTapedeckError(error) ? error.position : undefined;
    return { kind: "broken", reason: explain(error), ...(position && { position }) };
  }
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
  const read = async (): Promise<CacheContent> => {
    const content = await readContent(file, { shown, known });
    const isSame = content === known;
    known = content;
    if (!isSame) onDidRead();
    return content;
  };
  return {
    /** Returns its current content. It is read once after each change. */
    latest: () => (reading ??= read()),
    /** The content when it was last read. */
    get known() {
      return known;
    },
    changed: () => void (reading = undefined),
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
