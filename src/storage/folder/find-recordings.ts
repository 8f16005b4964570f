import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { posix } from "node:path";
import { byAddress, entryReader, folderOfKey, isNamedByRules } from "../../core/cassette/address.ts";
import type { RecordedReply, RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { brokenRecording } from "../../core/errors.ts";
import { makeNamedByRules, NAMED_BY_RULES, type NamedStore } from "../keys/named-by-rules.ts";
import { storageFailure } from "./failures.ts";
import { isWithoutLinks } from "./read-file.ts";
import type { RecordingReader } from "./recording-reader.ts";
import {
  createUnchangedFolders,
  generationOf,
  isUnchangedSince,
  signatureOf,
  stillStands,
  type Signature,
  type UnchangedFolders,
  type WatchedFolder,
} from "./unchanged.ts";

/** How recordings of a folder are found, and what is remembered of those that were. */
export interface FoundRecordings
  extends Omit<FolderIndex, "known">, Pick<NamedStore, "settle" | "replay" | "hasNamedByRules"> {
  readonly namedByRules: NamedByRules;
  /** Knows a reply that was put there, where its file is still the one that was `written`. */
  remember(entry: string, reply: RecordedReply, written: Stats): void;
  close(): void;
}

interface Parts {
  readonly dir: string;
  /** How many bytes of replies are kept in memory. */
  readonly cacheBytes: number;
  readonly reader: Pick<RecordingReader, "readReply">;
}

export function findRecordings({ dir, cacheBytes, reader }: Parts): FoundRecordings {
  const folders = createUnchangedFolders(dir);
  const index = createFolderIndex(dir, folders);
  const namedByRules = createNamedByRules(dir);
  const cache = createReplyCache(cacheBytes);

  const read = async (entry: string, inside: string): Promise<RecordedReply> => {
    const known = cache.get(entry, folders.at(inside), () => statsAt(`${dir}/${entry}`));
    if (known !== undefined) {
      folders.repeated(inside);
      return known;
    }
    const { recording, file } = await reader.readReply(entry);
    if (isNamedByRules(recording) && !namedByRules.isThere()) {
      namedByRules.seen();
      throw brokenRecording(entry, UNMARKED);
    }
    cache.set(entry, recording.reply, file.signature);
    return recording.reply;
  };
  return {
    takes: (provider, key) => index.takes(provider, key),
    changed: (folder) => index.changed(folder),
    namedByRules,
    settle: async () => {},
    hasNamedByRules: () => namedByRules.isThere(),
    async replay(provider, key, choose) {
      await folders.caughtUp();
      // What has no mark is found by its name, where there is none after the look either.
      const again = (): readonly RecordingAddress[] => {
        namedByRules.look();
        const takes = index.takes(provider, key);
        namedByRules.look();
        return takes;
      };
      const entry = choose(index.known(provider, key)) ?? choose(again());
      if (entry === undefined) return undefined;
      const inside = entry.slice(0, entry.lastIndexOf("/"));
      return cache.unchanged(entry, folders.at(inside)) ?? read(entry, inside);
    },
    remember(entry, reply, { ino, size, mtimeMs }) {
      const stats = statsAt(`${dir}/${entry}`);
      // Nobody could change it before it had its name, a moment ago: what is seen now is what was written.
      if (stats !== undefined && stats.ino === ino && stats.size === size && stats.mtimeMs === mtimeMs)
        cache.set(entry, reply, { ...signatureOf(stats, Date.now()), settled: true });
    },
    close: () => folders.close(),
  };
}

/** Nothing said so, and it was found by its name: whom it answers was not looked at. From now on that is done. */
const UNMARKED = `it was named under rules of tapedeck.jsonc, and the file ${NAMED_BY_RULES} that says so is missing. Ask again.`;

function statsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Reading the file says what is wrong with it.
    return undefined;
  }
}

/** The names of recordings as they are on disk now, at the price of one look at one folder. */
export interface FolderIndex {
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** As `takes`, by what is known at this moment: at the price of no look at a folder that has not changed. */
  known(provider: string, key: Key): readonly RecordingAddress[];
  /** The next question about this folder (`calls/<provider>/<2 hex>`) reads it anew. */
  changed(folder: string): void;
}

interface ReadFolder {
  readonly watched: WatchedFolder;
  /** That of the folder when it was looked at last. */
  generation: number | undefined;
  readonly signature: Signature;
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

const NONE: readonly RecordingAddress[] = [];

/** Remembers each folder's names for as long as the folder has not changed, by whomever. */
export function createFolderIndex(dir: string, unchanged: UnchangedFolders): FolderIndex {
  const folders = new Map<string, ReadFolder>();

  const folderNow = (inside: string): ReadFolder | undefined => {
    const now = Date.now();
    const watched = unchanged.at(inside);
    const generation = generationOf(watched); // before the look: what changes after it counts
    const stats = lstatSync(`${dir}/${inside}`, { throwIfNoEntry: false });
    const known = folders.get(inside);
    if (known !== undefined && known.signature.ino !== stats?.ino) unchanged.replaced(inside);
    if (stats?.isDirectory() !== true) {
      folders.delete(inside);
      return undefined;
    }
    if (known !== undefined && stillStands(known.signature, stats)) {
      known.generation = generation;
      return known;
    }
    const signature = signatureOf(stats, now);
    const folder = { watched, generation, signature, takes: readTakes(dir, inside) };
    folders.set(inside, folder);
    return folder;
  };

  const takes = (provider: string, key: Key): readonly RecordingAddress[] => {
    try {
      return folderNow(folderOfKey(provider, key))?.takes.get(key) ?? NONE;
    } catch (error) {
      throw storageFailure(dir, error);
    }
  };

  return {
    takes,
    known(provider, key) {
      const folder = folders.get(folderOfKey(provider, key));
      const isUnchanged = folder !== undefined && isUnchangedSince(folder.watched, folder.generation);
      return isUnchanged ? (folder.takes.get(key) ?? NONE) : takes(provider, key);
    },
    changed: (folder) => void folders.delete(folder),
  };
}

/** Of a folder that was looked at and is no link itself. */
function readTakes(dir: string, inside: string): Map<Key, RecordingAddress[]> {
  const takes = new Map<Key, RecordingAddress[]>();
  if (!isWithoutLinks(dir, posix.dirname(inside))) return takes;
  const read = entryReader(inside);
  for (const file of readdirSync(`${dir}/${inside}`, { withFileTypes: true })) {
    const address = file.isFile() ? read(file.name) : undefined;
    if (address === undefined || "wrong" in address) continue;
    const others = takes.get(address.key);
    if (others === undefined) takes.set(address.key, [address]);
    else others.push(address);
  }
  for (const several of takes.values()) several.sort(byAddress);
  return takes;
}

/** Replies that were read lately, up to a number of bytes; those used longest ago go first. */
export interface ReplyCache {
  /** The reply read from the file in this state, if it is known. `look` is not called for an entry that is not. */
  get(entry: string, folder: WatchedFolder, look: () => Stats | undefined): RecordedReply | undefined;
  /** A reply whose folder has not changed since its file was looked at, as far as is known at this moment. */
  unchanged(entry: string, folder: WatchedFolder): RecordedReply | undefined;
  set(entry: string, reply: RecordedReply, signature: Signature): void;
}

/** What a reply costs besides its body, roughly. */
const OVERHEAD_BYTES = 512;

interface Kept {
  readonly reply: RecordedReply;
  readonly signature: Signature;
  readonly bytes: number;
  /** That of its folder when its file was looked at last. */
  generation: number | undefined;
}

export function createReplyCache(limitBytes: number): ReplyCache {
  const replies = new Map<string, Kept>();
  let total = 0;
  const drop = (entry: string): void => {
    total -= replies.get(entry)?.bytes ?? 0;
    replies.delete(entry);
  };
  const add = (entry: string, kept: Kept): void => {
    replies.set(entry, kept);
    total += kept.bytes;
  };
  // A map keeps the order of insertion: the first is the one used longest ago. With room to spare nobody asks.
  const noteUse = (entry: string, found: Kept): RecordedReply => {
    if (total > limitBytes / 2) {
      drop(entry);
      add(entry, found);
    }
    return found.reply;
  };

  return {
    unchanged(entry, folder) {
      const found = replies.get(entry);
      const isUnchanged = found !== undefined && isUnchangedSince(folder, found.generation);
      return isUnchanged ? noteUse(entry, found) : undefined;
    },
    get(entry, folder, look) {
      const found = replies.get(entry);
      if (found === undefined) return undefined;
      const generation = generationOf(folder); // before the look: what changes after it counts
      const stats = look();
      if (stats === undefined || !stillStands(found.signature, stats)) {
        drop(entry);
        return undefined;
      }
      found.generation = generation;
      return noteUse(entry, found);
    },
    set(entry, reply, signature) {
      drop(entry);
      const bytes = bytesOf(reply);
      if (bytes > limitBytes) return;
      add(entry, { reply, signature, bytes, generation: undefined });
      for (const oldest of replies.keys()) {
        if (total <= limitBytes) break;
        drop(oldest);
      }
    },
  };
}

function bytesOf({ body, waitsMs }: RecordedReply): number {
  return body.byteLength + OVERHEAD_BYTES + 8 * (waitsMs?.length ?? 0);
}

/** So long a look at the folder counts. */
const LATELY_MS = 250;

/** Says that names of recordings may be keys under rules, which without these rules are the keys of other calls. */
export interface NamedByRules {
  isThere(): boolean;
  /** Looks at it now, whenever the last look was. */
  look(): boolean;
  make(): Promise<void>;
  /** A recording of the kind was seen although nothing said so. */
  seen(): void;
}

export function createNamedByRules(dir: string): NamedByRules {
  let wasSeen = false;
  let there = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const path = `${dir}/${NAMED_BY_RULES}`;
  const look = (): boolean => {
    there = existsSync(path);
    lookedAt = performance.now();
    return there || wasSeen;
  };
  return {
    isThere: () => (performance.now() - lookedAt > LATELY_MS ? look() : there || wasSeen),
    look,
    async make() {
      await makeNamedByRules(dir);
      there = true;
    },
    seen() {
      wasSeen = true;
    },
  };
}
