import { listEntries } from "./cache-text.ts";
import { createWrongArgument } from "../../../core/base/errors.ts";
import { isFields } from "../../../core/base/lenient.ts";
import type { JsonTree } from "../../../core/base/json/json-tree.ts";

/**
 * Answers by request key, in the order in which they were added, as in MetaGPT.
 * Values are lossless JSON trees (`plainJson` gives the plain value), so that what was read is written back equal.
 */
export interface ResponseCache {
  /** Undefined where the key is absent; a stored null is `null`. */
  get(key: string): JsonTree | undefined;
  has(key: string): boolean;
  /** Replaces an existing value, or adds one at the end. */
  set(key: string, value: JsonTree): void;
  delete(key: string): boolean;
  keys(): readonly string[];
  /** Reads the stored entries. Unsaved changes stay. If nothing is stored yet, nothing changes. */
  load(): Promise<void>;
  /**
   * Stores the entries that were set or deleted since the last save. Resolves to whether anything was written: false if
   * nothing changed, if another process was first, if the stored answer is the same, or if the cache is in memory only.
   */
  save(): Promise<boolean>;
  /** Path for messages, e.g. "tests/data/rsp_cache.json". */
  readonly place: string;
}

/** Unsaved changes of a cache. */
export interface PendingChanges {
  readonly set: ReadonlyMap<string, JsonTree>;
  /** Keys of `set` that the cache already had. They replace the stored entry, regardless of `wins`. */
  readonly replaced: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

/** Storage of a cache. */
export interface CacheBackEnd {
  readonly place: string;
  /** Returns all entries in order; none if nothing is stored yet. */
  read(): Promise<readonly (readonly [string, JsonTree])[]>;
  /** Applies changes to the stored entries. */
  write(changes: PendingChanges): Promise<Written>;
}

/** All entries after writing, and whether anything was written. */
export interface Written {
  readonly entries: readonly (readonly [string, JsonTree])[];
  readonly wrote: boolean;
}

/** Creates a cache. Above `maxEntries`, it drops the least recently used entry from memory, but not from the storage. */
export function createResponseCache(
  backEnd: CacheBackEnd,
  { maxEntries = Number.POSITIVE_INFINITY }: { readonly maxEntries?: number } = {},
): ResponseCache {
  if (!isFields(backEnd)) throw createWrongArgument("backEnd", "an object that reads and writes", backEnd);
  const use = createUse();
  let entries = new Map<string, JsonTree>();
  const [set, replaced, deleted] = [new Map<string, JsonTree>(), new Set<string>(), new Set<string>()];

  const unset = (key: string): unknown => set.delete(key) && replaced.delete(key);
  const touch = (key: string): void => {
    use.touch(key);
    for (const old of use.oldest(entries.size - maxEntries, set)) entries.delete(old);
  };
  const takeIn = (stored: readonly (readonly [string, JsonTree])[]): void => {
    entries = new Map(stored.filter(([key]) => !deleted.has(key)));
    for (const [key, value] of set) entries.set(key, value);
    for (const key of entries.keys()) if (!use.has(key)) touch(key);
  };

  const save = async (): Promise<boolean> => {
    if (set.size === 0 && deleted.size === 0) return false;
    const changes = { set: new Map(set), replaced: new Set(replaced), deleted: new Set(deleted) };
    const { entries: stored, wrote } = await backEnd.write(changes);
    for (const [key, value] of changes.set) if (set.get(key) === value) unset(key);
    for (const key of changes.deleted) deleted.delete(key);
    takeIn(stored);
    return wrote && areApplied(changes, entries);
  };

  return {
    place: backEnd.place,
    get(key) {
      if (entries.has(key)) touch(key);
      return entries.get(key);
    },
    has: (key) => entries.has(key),
    set(key, value) {
      if (deleted.delete(key) || (entries.has(key) && !set.has(key))) replaced.add(key);
      entries.set(key, value);
      set.set(key, value);
      touch(key);
    },
    delete(key) {
      if (entries.has(key)) deleted.add(key);
      unset(key);
      return entries.delete(key);
    },
    keys: () => [...entries.keys()],
    load: async () => takeIn(await backEnd.read()),
    save,
  };
}

/** If two processes add a key, the first one wins, and ours wrote nothing. */
function areApplied({ set, deleted }: PendingChanges, entries: ReadonlyMap<string, JsonTree>): boolean {
  return deleted.size > 0 || [...set].some(([key, value]) => entries.get(key) === value);
}

interface Use {
  has(key: string): boolean;
  touch(key: string): void;
  /** Forgets this number of least recently used keys and returns them, except keys that are not stored yet. */
  oldest(count: number, kept: ReadonlyMap<string, unknown>): readonly string[];
}

function createUse(): Use {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    touch(key) {
      keys.delete(key);
      keys.add(key);
    },
    oldest(count, kept) {
      if (count <= 0) return [];
      const old = [...keys].filter((key) => !kept.has(key)).slice(0, count);
      for (const key of old) keys.delete(key);
      return old;
    },
  };
}

/** Path of the cache of MetaGPT's tests. */
export const DEFAULT_CACHE_FILE = "tests/data/rsp_cache.json";

/** Creates a cache in memory. Messages name it by `place`. */
export function memoryCache(
  initial: Iterable<readonly [string, JsonTree]> = [],
  place = DEFAULT_CACHE_FILE,
): ResponseCache {
  let stored = new Map(listEntries(initial));
  const cache = createResponseCache({
    place,
    read: async () => [...stored],
    async write(changes) {
      stored = applyChanges([...stored], changes, "last");
      return { entries: [...stored], wrote: false };
    },
  });
  for (const [key, value] of stored) cache.set(key, value);
  return cache;
}

/** Entries with changes applied: of a key that both added the first or the last value wins; new keys stand at the end. */
export function applyChanges(
  entries: readonly (readonly [string, JsonTree])[],
  { set, replaced, deleted }: PendingChanges,
  wins: "first" | "last",
): Map<string, JsonTree> {
  const all = new Map(entries.filter(([key]) => !deleted.has(key)));
  for (const [key, value] of set)
    if (wins === "last" || replaced.has(key) || !all.has(key)) all.set(key, value);
  return all;
}
