import { createTakeTurns } from "../../storage/folder/take-turns.ts";
import { readCacheFile, type CacheContent } from "./cache-file-model.ts";

/** One cache file, read when somebody looks into it and again after it changed. */
export interface CacheReader {
  /** What is known, at once; the first time it is read. Where it changed since, it is read in the background. */
  content(): Promise<CacheContent>;
  /** What it holds now. */
  latest(): Promise<CacheContent>;
  readonly known: CacheContent | undefined;
  changed(): void;
}

export interface ReaderOptions {
  /** Lines have to be drawn again. */
  readonly onDidRead: () => void;
  /** Lets others have their turn. */
  readonly rest: () => Promise<void>;
}

/** `shown`: how people know the file. */
export function createReader(file: string, shown: string, { onDidRead, rest }: ReaderOptions): CacheReader {
  let known: CacheContent | undefined;
  let reading: Promise<CacheContent> | undefined;
  let isFresh = false;
  const read = async (): Promise<CacheContent> => {
    let content: CacheContent;
    do {
      isFresh = true;
      content = await readCacheFile(file, {
        shown,
        ...(known && { known }),
        takeTurns: createTakeTurns(rest),
      });
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
    latest,
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
