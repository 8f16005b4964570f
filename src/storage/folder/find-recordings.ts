import { lstatSync, readdirSync, type Stats } from "node:fs";
import { posix } from "node:path";
import { byAddress, entryReader, folderOfKey } from "../../core/cassette/address.ts";
import type { RecordedReply, RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { storageFailure } from "./failures.ts";
import { isWithoutLinks } from "./read-file.ts";
import { signatureOf, stillStands, type Signature } from "./signature.ts";

/** The names of recordings as they are on disk now, at the price of one look at one folder. */
export interface FolderIndex {
  /** The takes of a key in order. @throws TapedeckError where the folder is there and cannot be read. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** Makes the next question about this folder (`calls/<provider>/<2 hex>`) read it again. */
  changed(folder: string): void;
}

interface ReadFolder {
  readonly signature: Signature;
  readonly takes: ReadonlyMap<Key, readonly RecordingAddress[]>;
}

const NONE: readonly RecordingAddress[] = [];

/** Remembers each folder's names for as long as the folder has not changed, by whomever. */
export function createFolderIndex(dir: string): FolderIndex {
  const folders = new Map<string, ReadFolder>();

  const readFolder = (inside: string): ReadFolder | undefined => {
    const now = Date.now();
    const stats = lstatSync(`${dir}/${inside}`, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) {
      folders.delete(inside);
      return undefined;
    }
    const known = folders.get(inside);
    if (known !== undefined && stillStands(known.signature, stats)) return known;
    const folder = { signature: signatureOf(stats, now), takes: readTakes(dir, inside) };
    folders.set(inside, folder);
    return folder;
  };

  return {
    takes(provider, key) {
      try {
        return readFolder(folderOfKey(provider, key))?.takes.get(key) ?? NONE;
      } catch (error) {
        throw storageFailure(dir, error);
      }
    },
    changed: (folder) => void folders.delete(folder),
  };
}

/** Reads the names in a folder that exists and is no link itself. */
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

/** Replies that were read lately, up to a number of bytes; the least recently used go first. */
export interface ReplyCache {
  /** The reply that was read from the file in this state; undefined where it is not known, or the file changed. */
  get(entry: string, stats: Stats | undefined): RecordedReply | undefined;
  set(entry: string, reply: RecordedReply, signature: Signature): void;
  clear(): void;
}

/** What a reply costs besides its body, roughly. */
const OVERHEAD_BYTES = 512;

interface CachedReply {
  readonly reply: RecordedReply;
  readonly signature: Signature;
  readonly bytes: number;
}

export function createReplyCache(limitBytes: number): ReplyCache {
  const replies = new Map<string, CachedReply>();
  let total = 0;
  const drop = (entry: string): void => {
    total -= replies.get(entry)?.bytes ?? 0;
    replies.delete(entry);
  };
  const add = (entry: string, cached: CachedReply): void => {
    replies.set(entry, cached);
    total += cached.bytes;
  };

  return {
    get(entry, stats) {
      const found = replies.get(entry);
      if (found === undefined) return undefined;
      drop(entry);
      if (stats === undefined || !stillStands(found.signature, stats)) return undefined;
      add(entry, found); // a map keeps the order of insertion: the first is the least recently used
      return found.reply;
    },
    set(entry, reply, signature) {
      drop(entry);
      const bytes = bytesOf(reply);
      if (bytes > limitBytes) return;
      add(entry, { reply, signature, bytes });
      for (const oldest of replies.keys()) {
        if (total <= limitBytes) break;
        drop(oldest);
      }
    },
    clear() {
      replies.clear();
      total = 0;
    },
  };
}

function bytesOf({ body, waitsMs }: RecordedReply): number {
  return body.byteLength + OVERHEAD_BYTES + 8 * (waitsMs?.length ?? 0);
}
