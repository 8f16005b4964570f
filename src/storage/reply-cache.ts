import type { Stats } from "node:fs";
import type { RecordedReply } from "../core/cassette/recording.ts";
import { ownText } from "../core/wire/text.ts";
import type { QuietFolder } from "./quiet-folders.ts";
import { stillStands, type Signature } from "./signature.ts";

/** When a folder was asked for, in its own count of changes. */
export interface Since {
  readonly folder: QuietFolder;
  readonly generation: number;
}

/** A reply whose file was looked at. */
export interface LookedAt {
  readonly reply: RecordedReply;
  readonly since?: Since;
}

/** Replies that were read lately, up to a number of bytes; those used longest ago go first. */
export interface ReplyCache {
  /** The reply read from the file in this state, if it is known. Remembers that its file was looked at after `since`. */
  get(entry: string, stats: Stats, since: Since): RecordedReply | undefined;
  /** A reply whose file nobody has changed since it was looked at, as far as is known at this moment. */
  quiet(entry: string): LookedAt | undefined;
  /** Gives the reply as it is kept. */
  set(entry: string, reply: RecordedReply, signature: Signature): RecordedReply;
}

/** What a reply costs besides its body, roughly. */
const OVERHEAD_BYTES = 512;

interface Kept extends LookedAt {
  since?: Since;
  readonly signature: Signature;
  readonly bytes: number;
}

/** Whether the folder of a reply has been watched and quiet since its file was looked at. */
export function isQuiet({ since }: LookedAt): boolean {
  return since !== undefined && since.folder.isWatched && since.generation === since.folder.generation;
}

export function createReplyCache(limitBytes: number): ReplyCache {
  const replies = new Map<string, Kept>();
  const contentTypes = new Map<string, string>();
  let total = 0;

  const drop = (entry: string): void => {
    total -= replies.get(entry)?.bytes ?? 0;
    replies.delete(entry);
  };

  // A map keeps the order of insertion: the first is the one used longest ago. With room to spare nobody asks.
  const used = (entry: string, found: Kept): void => {
    if (total <= limitBytes / 2) return;
    replies.delete(entry);
    replies.set(entry, found);
  };

  return {
    get(entry, stats, since) {
      const found = replies.get(entry);
      if (found === undefined) return undefined;
      if (!stillStands(found.signature, stats)) {
        drop(entry);
        return undefined;
      }
      used(entry, found);
      found.since = since;
      return found.reply;
    },
    quiet(entry) {
      const found = replies.get(entry);
      if (found === undefined || !isQuiet(found)) return undefined;
      used(entry, found);
      return found;
    },
    set(entry, reply, signature) {
      drop(entry);
      const bytes = reply.body.byteLength + OVERHEAD_BYTES + 8 * (reply.waitsMs?.length ?? 0);
      if (bytes > limitBytes) return reply;
      const kept = withSharedType(reply, contentTypes);
      replies.set(entry, { reply: kept, signature, bytes });
      total += bytes;
      for (const oldest of replies.keys()) {
        if (total <= limitBytes) break;
        drop(oldest);
      }
      return kept;
    },
  };
}

/** All replies of a type share one text of it, which is no piece of any file's text. */
function withSharedType(reply: RecordedReply, contentTypes: Map<string, string>): RecordedReply {
  if (reply.contentType === undefined) return reply;
  const contentType = contentTypes.get(reply.contentType) ?? ownText(reply.contentType);
  contentTypes.set(contentType, contentType);
  return { ...reply, contentType };
}
