import * as path from "node:path";
import type { Recording } from "../../core/cassette/recording.ts";
import { tapedeckError } from "../../core/base/errors.ts";
import type { JsonTree } from "../../core/base/json/json-tree.ts";
import { parseJson } from "../../core/base/json/json-parse.ts";
import { type CacheEntry, answerText } from "../../systems/metagpt/cache/read-cache.ts";
import { removeCacheEntry, type RemovedEntry } from "../../systems/metagpt/cache/rsp-cache-edit.ts";
import { rspCacheFile } from "../../systems/metagpt/cache/rsp-cache-file.ts";
import type { CacheBackEnd } from "../../systems/metagpt/cache/response-cache.ts";
import {
  recordingOf,
  type ReadCache,
  createReader,
  type CacheReader,
  type ReaderOptions,
} from "./cache-file-model.ts";
import type { CachedRef } from "../../core/cassette/cached-ref.ts";
import type { CallNode } from "../calls/call-node-model.ts";
import { type CallFilter, isFiltering, passes } from "../calls/call-filter-model.ts";
import { brokenNode, cacheId, cacheNode, entryNodes } from "./cache-nodes-model.ts";

/** MetaGPT's caches of a workspace. A file is read when somebody looks into it, and again after it changed. */
export interface CacheFiles {
  /** One line a file; with a filter those with something to show, opened. */
  roots(files: readonly string[], view: CacheView): Promise<readonly CallNode[]>;
  /** @throws TapedeckError where the entry is gone or the file is broken */
  find(ref: CachedRef): Promise<FoundEntry>;
  /** Takes entries out of their files. @throws TapedeckError where one is gone or its file is broken */
  remove(ref: CachedRef): Promise<RemovedEntry>;
  /** Adds the answer of an entry under a key that the file does not have yet. @throws TapedeckError as `find` */
  copyAnswer(ref: CachedRef, key: string): Promise<void>;
  /** The file changed on disk. What it held is shown until it is read anew. */
  changed(file: string): void;
}

export interface FoundEntry {
  /** MetaGPT's own. */
  readonly key: string;
  readonly recording: Recording;
  /** Of the entry in its file, from 1. */
  readonly line: number;
  readonly column: number;
}

interface CacheFilesOptions extends ReaderOptions {
  /** The workspace folder, absolute. */
  readonly folder: string;
}

export function createCacheFiles(options: CacheFilesOptions): CacheFiles {
  const { folder, onDidRead } = options;
  const files = new Map<string, CacheReader>();
  const reader = (file: string): CacheReader => {
    const known = files.get(file) ?? createReader(path.join(folder, file), file, options);
    files.set(file, known);
    return known;
  };
  const noteEdit = (file: string): void => {
    reader(file).changed();
    onDidRead();
  };
  const entryOf = (ref: CachedRef): Promise<readonly [ReadCache, CacheEntry]> =>
    findEntry(reader(ref.file), ref);
  return {
    roots: async (all, view) => {
      const lines = await Promise.all(all.map((file) => rootOf(file, reader(file), view)));
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
      noteEdit(ref.file);
      return removed;
    },
    async copyAnswer(ref, key) {
      const [{ text }, entry] = await entryOf(ref);
      const answer = parseJson(answerText(text, entry));
      await addEntry(rspCacheFile(path.join(folder, ref.file), { shown: ref.file }), [key, answer]);
      noteEdit(ref.file);
    },
    changed(file) {
      files.get(file)?.changed();
      onDidRead();
    },
  };
}

async function findEntry(reader: CacheReader, ref: CachedRef): Promise<readonly [ReadCache, CacheEntry]> {
  const content = await reader.latest();
  const entry = content.kind === "read" ? content.entries.get(ref.digest) : undefined;
  if (content.kind === "read" && entry) return [content, entry];
  const what = content.kind === "broken" ? `cannot be read: ${content.reason}` : "no longer has this entry.";
  throw tapedeckError("tapedeck_cassette", `${ref.file} ${what}`, {
    hint: "Open the file to see what it holds now.",
  });
}

function addEntry(file: CacheBackEnd, entry: readonly [string, JsonTree]): Promise<unknown> {
  return file.write({ set: new Map([entry]), replaced: new Set(), deleted: new Set() });
}

export interface CacheView {
  readonly filter: CallFilter;
  /** Lines that a person opened or closed, by id. */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether tests are known that used an entry. */
  readonly hasTests?: (entry: string) => boolean;
}

/** The line of a file; with a filter undefined where nothing in it passes. */
async function rootOf(
  file: string,
  reader: CacheReader,
  { filter, opened, now, hasTests }: CacheView,
): Promise<CallNode | undefined> {
  const filtering = isFiltering(filter);
  const content = filtering ? await reader.content() : reader.known;
  const total = content?.kind === "read" ? content.entries.size : undefined;
  const matching = filtering && content?.kind === "read" ? matches(content, { filter, now }) : undefined;
  if (filtering && (matching === undefined || matching.length === 0)) return undefined;
  return cacheNode({
    file,
    total,
    shown: matching?.length ?? total,
    isOpen: opened.get(cacheId(file)) ?? filtering,
    children: async (self) => {
      const read = await reader.content();
      if (read.kind === "broken") return [brokenNode(self, file, read)];
      return entryNodes(self, { file, cache: read, hasTests }, matching ?? [...read.entries]);
    },
  });
}

function matches(
  cache: ReadCache,
  { filter, now }: Pick<CacheView, "filter" | "now">,
): readonly (readonly [string, CacheEntry])[] {
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
  }
  return found;
}
