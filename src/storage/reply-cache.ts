import type { Stats } from "node:fs";
import type { RecordedReply } from "../core/cassette/recording.ts";
import { stillStands, type Signature } from "./signature.ts";

/** Replies that were read lately, up to a number of bytes; those used longest ago go first. */
export interface ReplyCache {
  /** The reply read from the file in this state, if it is known. */
  get(entry: string, stats: Stats): RecordedReply | undefined;
  set(entry: string, reply: RecordedReply, signature: Signature): void;
}

/** What a reply costs besides its body, roughly. */
const OVERHEAD_BYTES = 512;

export function createReplyCache(limitBytes: number): ReplyCache {
  const replies = new Map<string, { reply: RecordedReply; signature: Signature; bytes: number }>();
  let total = 0;

  const drop = (entry: string): void => {
    total -= replies.get(entry)?.bytes ?? 0;
    replies.delete(entry);
  };

  return {
    get(entry, stats) {
      const found = replies.get(entry);
      if (found === undefined) return undefined;
      if (!stillStands(found.signature, stats)) {
        drop(entry);
        return undefined;
      }
      // A map keeps the order of insertion: the first is the one used longest ago. With room to spare nobody asks.
      if (total > limitBytes / 2) {
        replies.delete(entry);
        replies.set(entry, found);
      }
      return found.reply;
    },
    set(entry, reply, signature) {
      drop(entry);
      const bytes = reply.body.byteLength + OVERHEAD_BYTES + 8 * (reply.waitsMs?.length ?? 0);
      if (bytes > limitBytes) return;
      replies.set(entry, { reply, signature, bytes });
      total += bytes;
      for (const oldest of replies.keys()) {
        if (total <= limitBytes) break;
        drop(oldest);
      }
    },
  };
}
