import { joinList, localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import { createTapedeckError } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/json/json-parse.ts";
import { type CacheEntry, answerText } from "../../systems/metagpt/cache/cache-text.ts";
import { removeCacheEntry, rspCacheFile } from "../../systems/metagpt/cache/rsp-cache-file.ts";
import {
  type BrokenCache,
  type CacheReader,
  type ReadCache,
  type ReaderOptions,
  createReader,
} from "./cache-file-model.ts";
import { createCacheRecording } from "../../systems/metagpt/cache/read-cache-file.ts";
import { type CachedRef, getCachedEntry } from "../../core/cassette/cached-ref.ts";
import { type CallNode, createBranchNode, createLeafNode } from "../calls/call-node-model.ts";
import { type CallFilter, isFiltering, passesFilter } from "../calls/call-filter-model.ts";
import { readLastAsked } from "../../systems/metagpt/cache/as-recording.ts";
import { shorten } from "../../core/view/row.ts";
import { groupIntoPages } from "../calls/pages-model.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";

/** MetaGPT's caches of a workspace. A file is read when it is shown, and again after a change. */
export type CacheFiles = ReturnType<typeof createCacheFiles>;

interface CacheFilesOptions extends ReaderOptions {
  /** The workspace folder, absolute. */
  readonly folder: string;
}

export function createCacheFiles(options: CacheFilesOptions) {
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
    /** Returns a line per file. With a filter, returns only files with results, opened. */
    roots: async (all: readonly string[], view: CacheView) => {
      const lines = await Promise.all(all.map((file) => rootOf(file, reader(file), view)));
      return lines.filter((line) => line !== undefined);
    },
    /** @throws TapedeckError if the entry is gone or the file is broken */
    async find(ref: CachedRef) {
      const [content, entry] = await entryOf(ref);
      const { key, line, column } = entry;
      return { key, line, column, recording: createCacheRecording(content, ref.digest, entry) };
    },
    /** Removes an entry from its file. @throws TapedeckError if the entry is gone or the file is broken */
    async remove(ref: CachedRef) {
      const [, { key }] = await entryOf(ref);
      const removed = await removeCacheEntry(path.join(folder, ref.file), key, ref.file);
      noteEdit(ref.file);
      return removed;
    },
    /** Adds the answer of an entry under a new key. @throws TapedeckError as `find` */
    async copyAnswer(ref: CachedRef, key: string) {
      const [{ text }, entry] = await entryOf(ref);
      const set = new Map([[key, parseJson(answerText(text, entry))]]);
      const file = rspCacheFile(path.join(folder, ref.file), { shown: ref.file });
      await file.write({ set, replaced: new Set(), deleted: new Set() });
      noteEdit(ref.file);
    },
    /** Reports a change of the file on disk. Its old content is shown until it is read again. */
    changed(file: string) {
      files.get(file)?.changed();
      onDidRead();
    },
  };
}

async function findEntry(reader: CacheReader, ref: CachedRef): Promise<readonly [ReadCache, CacheEntry]> {
  const content = await reader.latest();
  const entry = content.kind === "read" ? content.entries.get(ref.digest) : undefined;
  if (content.kind === "read" && entry) return [content, entry];
  const what =
    content.kind === "broken"
      ? localize("{0} cannot be read: {1}", ref.file, content.reason)
      : localize("{0} no longer contains this entry.", ref.file);
  throw createTapedeckError("tapedeck_cassette", what, {
    hint: localize("Open the file to see its current content."),
  });
}

export interface CacheView {
  readonly filter: CallFilter;
  /** Lines that a person opened or closed, by id. */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Whether tests are known that used an entry. */
  readonly hasTests?: (entry: string) => boolean;
}

/** Returns the line of a file; undefined if a filter has no results in it. */
async function rootOf(
  file: string,
  reader: CacheReader,
  { filter, opened, hasTests }: CacheView,
): Promise<CallNode | undefined> {
  const filtering = isFiltering(filter);
  const content = filtering || reader.known ? await reader.latest() : undefined;
  const total = content?.kind === "read" ? content.entries.size : undefined;
  const matching = filtering && content?.kind === "read" ? matches(content, filter) : undefined;
  if (filtering && (matching === undefined || matching.length === 0)) return undefined;
  return createCacheNode({
    file,
    total,
    shown: matching?.length ?? total,
    isOpen: opened.get(createCacheId(file)) ?? filtering,
    children: async (self) => {
      const read = await reader.latest();
      if (read.kind === "broken") return [createBrokenNode(self, file, read)];
      return createEntryNodes(self, { file, cache: read, hasTests }, matching ?? [...read.entries]);
    },
  });
}

function matches(cache: ReadCache, filter: CacheView["filter"]): readonly (readonly [string, CacheEntry])[] {
  const found: (readonly [string, CacheEntry])[] = [];
  for (const [digest, entry] of cache.entries) {
    let text: string | undefined;
    const textOf = (): string => `${entry.key}\n${answerText(cache.text, entry)}`.toLowerCase();
    const passed = passesFilter(filter, {
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

type Entries = readonly (readonly [digest: string, entry: CacheEntry])[];

interface CacheLine {
  readonly file: string;
  /** Number of shown entries and of all entries, once they are known. */
  readonly shown: number | undefined;
  readonly total: number | undefined;
  readonly isOpen: boolean;
  readonly children: (self: CallNode) => Promise<readonly CallNode[]>;
}

export function createCacheNode({ file, shown, total, isOpen, children }: CacheLine): CallNode {
  const label = localize("MetaGPT cache — {0}", file);
  const count = total === undefined || shown === total ? total : localize("{0} of {1}", shown ?? 0, total);
  return createBranchNode(
    {
      id: createCacheId(file),
      label,
      description: String(count ?? ""),
      spoken: joinList([
        localize("MetaGPT cache {0}", file),
        ...(typeof count === "string" ? [count] : []),
        ...(total === undefined ? [] : [localizeCount(total, "{0} entry", "{0} entries")]),
      ]),
      context: "cache",
      isOpen,
      subject: { kind: "cache", file },
    },
    children,
  );
}

export const createCacheId = (file: string): string => `cache/${file}`;

/** The only line below an unreadable file. */
export function createBrokenNode(
  parent: CallNode,
  file: string,
  { reason, position }: BrokenCache,
): CallNode {
  const label = file.slice(file.lastIndexOf("/") + 1);
  const where = position ? `${position.line}:${position.column} · ` : "";
  return createLeafNode({
    id: `${parent.id}/broken`,
    label,
    description: `${where}${reason}`,
    spoken: localize("{0}, broken, cannot be read: {1}", label, reason),
    icon: "error",
    context: "cacheBroken",
    parent,
    subject: { kind: "broken-cache", file, ...(position && { position: { file, ...position } }) },
  });
}

interface ShownCache {
  readonly file: string;
  readonly cache: ReadCache;
  /** Whether tests are known that used an entry. */
  readonly hasTests: ((entry: string) => boolean) | undefined;
}

/** Returns the entries as lines; many entries are divided into pages. */
export function createEntryNodes(parent: CallNode, shown: ShownCache, all: Entries): CallNode[] {
  const entryNodes = (self: CallNode, own: Entries) => own.map((one) => entryNode(self, shown, one));
  const pages = groupIntoPages(all);
  if (pages === undefined) return entryNodes(parent, all);
  return pages.map(({ id, label, items }) =>
    createBranchNode(
      {
        id: `${parent.id}/${id}`,
        label,
        description: formatCount(items.length),
        spoken: joinList([label, localizeCount(items.length, "{0} entry", "{0} entries")]),
        context: "cache",
        isOpen: false,
        parent,
        subject: { kind: "cache", file: shown.file },
      },
      async (self) => entryNodes(self, items),
    ),
  );
}

function entryNode(
  parent: CallNode,
  { file, cache, hasTests }: ShownCache,
  [digest, entry]: Entries[number],
): CallNode {
  const ref = { file, digest };
  const lastMessage = readLastAsked(entry.key);
  const answer = answerOf(cache, entry);
  const label = `"${shorten(lastLine(lastMessage))}"`;
  const answered = shorten(firstLine(answer), 40);
  const description = localize("→ {0} · line {1}", answered, entry.line);
  return createLeafNode({
    id: `${parent.id}/${ref.digest}`,
    label,
    description,
    spoken: localize("{0}, answered {1}, line {2} of MetaGPT's cache", label, answered, entry.line),
    icon: "circle-outline",
    context: hasTests?.(getCachedEntry(ref)) === true ? "cached test" : "cached",
    parent,
    subject: { kind: "cached", ref, question: lastMessage, answer },
  });
}

/** Returns the answer as text; if it is not a string, its JSON. */
function answerOf({ text }: ReadCache, entry: CacheEntry): string {
  const json = answerText(text, entry);
  const plain: unknown = json.startsWith('"') ? JSON.parse(json) : undefined;
  return typeof plain === "string" ? plain : json.replace(/\s*\n\s*/gu, " ");
}

const HAS_WORD = /[\p{L}\p{N}]/u;

/** Returns the last line with a word, because prompts end with the question, fences, and rules. */
function lastLine(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.findLast((line) => HAS_WORD.test(line)) ?? lines.findLast((line) => line !== "") ?? "";
}

function firstLine(text: string): string {
  const lines = text.split(/\r?\n/, 8).map((line) => line.trim());
  const telling = lines.filter((line) => !line.startsWith("```"));
  return telling.find((line) => HAS_WORD.test(line)) ?? lines.find((line) => line !== "") ?? "";
}
