import * as path from "node:path";
import { performance } from "node:perf_hooks";
import type { Recording } from "../../core/cassette/recording.ts";
import { tapedeckError } from "../../core/errors.ts";
import { answerText, type CacheEntry, type Pause } from "../../core/rsp-cache/read-cache.ts";
import { removeCacheEntry, type RemovedEntry } from "../../storage/rsp-cache-edit.ts";
import type { CallFilter } from "../views/call-filter-model.ts";
import { isFiltering, passes } from "../views/call-filter-model.ts";
import type { CallNode } from "../views/call-nodes-model.ts";
import { readCacheFile, recordingOf, type CacheContent, type ReadCache } from "./cache-file-model.ts";
import { brokenNode, cacheId, cacheNode, entryNodes } from "./cache-nodes-model.ts";
import type { CachedRef } from "./cached-ref-model.ts";

/** MetaGPT's caches of a workspace. A file is read when somebody looks into it, and again after it changed. */
export interface CacheFiles {
  /** One line a file; with a filter those with something to show, opened. */
  roots(files: readonly string[], view: CacheView): Promise<readonly CallNode[]>;
  /** @throws TapedeckError where the entry is gone or the file is broken */
  find(ref: CachedRef): Promise<FoundEntry>;
  /** Takes entries out of their files. @throws TapedeckError where one is gone or its file is broken */
  remove(ref: CachedRef): Promise<RemovedEntry>;
  /** The file changed on disk. What it held is shown until it is read anew. */
  changed(file: string): void;
}

export interface CacheView {
  readonly filter: CallFilter;
  /** Lines that a person opened or closed, by id. */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface FoundEntry {
  /** MetaGPT's own. */
  readonly key: string;
  readonly recording: Recording;
  /** Of the entry in its file, from 1. */
  readonly line: number;
  readonly column: number;
}

export interface CacheFilesOptions {
  /** The workspace folder, absolute. */
  readonly folder: string;
  /** Lines have to be drawn again. */
  readonly onDidRead: () => void;
  /** Lets others have their turn. */
  readonly rest: () => Promise<void>;
}

/** A turn of the editor's host is not held for longer. */
const SLICE_MS = 12;

export function createCacheFiles(options: CacheFilesOptions): CacheFiles {
  const { folder, onDidRead } = options;
  const files = new Map<string, CacheReader>();
  const reader = (file: string): CacheReader => {
    const known = files.get(file) ?? createReader(path.join(folder, file), file, options);
    files.set(file, known);
    return known;
  };
  const entryOf = async (ref: CachedRef): Promise<readonly [ReadCache, CacheEntry]> => {
    const content = await reader(ref.file).latest();
    const entry = content.kind === "read" ? content.entries.get(ref.digest) : undefined;
    if (content.kind === "read" && entry) return [content, entry];
    const what =
      content.kind === "broken" ? `cannot be read: ${content.reason}` : "no longer has this entry.";
    throw tapedeckError("tapedeck_cassette", `${ref.file} ${what}`, {
      hint: "Open the file to see what it holds now.",
    });
  };
  return {
    roots: async (all, view) => {
      const lines = await Promise.all(all.map((file) => rootOf(file, reader(file), view, options)));
      return lines.filter((line) => line !== undefined);
    },
    async find(ref) {
      const [content, entry] = await entryOf(ref);
      const { key, line, column } = entry;
      return { key, line, column, recording: recordingOf(content, ref.digest, entry) };
    },
    async remove(ref) {
      const [, { key }] = await entryOf(ref);
      const removed = await removeCacheEntry(path.join(folder, ref.file), key, ref.file);
      reader(ref.file).changed();
      onDidRead();
      return removed;
    },
    changed(file) {
      files.get(file)?.changed();
      onDidRead();
    },
  };
}

interface CacheReader {
  /** What is known, at once; the first time it is read. Where it changed since, it is read in the background. */
  content(): Promise<CacheContent>;
  /** What it holds now. */
  latest(): Promise<CacheContent>;
  readonly known: CacheContent | undefined;
  changed(): void;
}

function createReader(file: string, shown: string, { onDidRead, rest }: CacheFilesOptions): CacheReader {
  let known: CacheContent | undefined;
  let reading: Promise<CacheContent> | undefined;
  let isFresh = false;
  const read = async (): Promise<CacheContent> => {
    let content: CacheContent;
    do {
      isFresh = true;
      content = await readCacheFile(file, { shown, ...(known && { known }), pause: pauses(rest) });
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

function pauses(rest: () => Promise<void>): Pause {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < SLICE_MS) return undefined;
    return (async () => {
      await rest();
      begun = performance.now();
    })();
  };
}

async function rootOf(
  file: string,
  reader: CacheReader,
  { filter, opened, now }: CacheView,
  { rest }: CacheFilesOptions,
): Promise<CallNode | undefined> {
  const filtering = isFiltering(filter);
  const content = filtering ? await reader.content() : reader.known;
  const total = content?.kind === "read" ? content.entries.size : undefined;
  const matching =
    filtering && content?.kind === "read" ? await matches(content, filter, now, pauses(rest)) : undefined;
  if (filtering && (matching === undefined || matching.length === 0)) return undefined;
  return cacheNode({
    file,
    total,
    shown: matching?.length ?? total,
    isOpen: opened.get(cacheId(file)) ?? filtering,
    children: async (self) => {
      const read = await reader.content();
      if (read.kind === "broken") return [brokenNode(self, file, read)];
      return entryNodes(self, file, read, matching ?? [...read.entries]);
    },
  });
}

async function matches(
  cache: ReadCache,
  filter: CallFilter,
  now: number,
  pause: Pause,
): Promise<readonly (readonly [string, CacheEntry])[]> {
  const found: (readonly [string, CacheEntry])[] = [];
  for (const [digest, entry] of cache.entries) {
    let text: string | undefined;
    const textOf = (): string => `${entry.key}\n${answerText(cache.text, entry)}`.toLowerCase();
    const passed = passes(filter, {
      now,
      at: cache.changedAt,
      state: "recorded",
      provider: "metagpt",
      model: undefined,
      tests: [],
      contains: (word) => (text ??= textOf()).includes(word),
    });
    if (passed === true) found.push([digest, entry]);
    await pause();
  }
  return found;
}
