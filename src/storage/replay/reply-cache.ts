import type { Stats } from "node:fs";
import type { RecordedReply } from "../../core/cassette/recording.ts";
import { stillStands, type Signature } from "../folder/signature.ts";
import { generationOf, isUnchangedSince, type WatchedFolder } from "./unchanged-folders.ts";

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
