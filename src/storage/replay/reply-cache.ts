import type { Stats } from "node:fs";
import type { RecordedReply } from "../../core/cassette/recording.ts";
import { headersOf, readyReply, type ReadyReply } from "../../core/cassette/ready-reply.ts";
import type { WireHeaders } from "../../core/call.ts";
import { ownText } from "../../core/wire/text.ts";
import { isQuietSince, type Changes, type QuietFolder } from "./quiet-folders.ts";
import { stillStands, type Signature } from "../folder/signature.ts";

/** When a folder was asked for, in its own count of changes. */
export interface Since {
  readonly folder: QuietFolder;
  readonly generation: number;
}

/** Who holds on to a reply for the next call, for as long as the cache keeps it. */
export interface Holder {
  reply: ReadyReply | undefined;
}

/** A reply whose file was looked at. */
export interface LookedAt {
  /** Undefined where it was dropped. */
  readonly reply: ReadyReply | undefined;
  /** Undefined until its file was looked at. */
  readonly folder: QuietFolder | undefined;
  /** That of the folder when it was. */
  readonly generation: number;
  readonly entry: string;
}

/** Replies that were read lately, up to a number of bytes; those used longest ago go first. */
export interface ReplyCache {
  /** The reply read from the file in this state, if it is known. Remembers that its file was looked at after `since`. */
  get(entry: string, stats: Stats, since: Since): RecordedReply | undefined;
  /** A reply whose file nobody has changed since it was looked at, as far as is known at this moment. */
  quiet(entry: string): LookedAt | undefined;
  /**
   * Gives such a reply to `holder`, or none. Whoever held it before loses it, and nobody holds what was dropped: a reply
   * that the cache has no room for stays in no memory.
   */
  hold(entry: string, holder: Holder): void;
  /** Whether nobody has to ask for a reply that is held so that it is kept. That it has none any more counts as a change. */
  hasRoom(): boolean;
  /** Gives the reply as it is kept. */
  set(entry: string, reply: RecordedReply, signature: Signature): RecordedReply;
}

/** What a reply costs besides its body, roughly. */
const OVERHEAD_BYTES = 512;
/** A shorter body may be kept a second time, as the text that goes out. */
const SHORT_BYTES = 16_384;

interface Kept extends LookedAt {
  holder: Holder | undefined;
  reply: ReadyReply | undefined;
  folder: QuietFolder | undefined;
  generation: number;
  readonly signature: Signature;
  readonly bytes: number;
}

/** Whether the folder of a reply has been watched and quiet since its file was looked at. */
export function isQuiet({ folder, generation }: LookedAt): boolean {
  return folder !== undefined && isQuietSince(folder, generation);
}

export function createReplyCache(limitBytes: number, changes: Changes): ReplyCache {
  const replies = createRoom(limitBytes, changes);
  const makeReady = createReadyMaker();
  const quiet = (entry: string): Kept | undefined => {
    const found = replies.get(entry);
    if (found === undefined || !isQuiet(found)) return undefined;
    replies.used(entry);
    return found;
  };

  return {
    get(entry, stats, since) {
      const found = replies.get(entry);
      if (found === undefined) return undefined;
      if (!stillStands(found.signature, stats)) {
        replies.drop(entry);
        return undefined;
      }
      replies.used(entry);
      found.folder = since.folder;
      found.generation = since.generation;
      return found.reply?.recorded;
    },
    quiet,
    hold(entry, holder) {
      const found = quiet(entry);
      if (found !== undefined) {
        letGo(found);
        found.holder = holder;
      }
      holder.reply = found?.reply;
    },
    hasRoom: () => replies.hasRoom(),
    set(entry, reply, signature) {
      replies.drop(entry);
      const bytes = bytesOf(reply);
      if (bytes > limitBytes) return reply;
      const ready = makeReady(entry, reply);
      replies.add({ ...NOT_LOOKED_AT, reply: ready, entry, signature, bytes });
      return ready.recorded;
    },
  };
}

const NOT_LOOKED_AT = { holder: undefined, folder: undefined, generation: 0 };

function letGo({ holder }: Kept): void {
  if (holder !== undefined) holder.reply = undefined;
}

function bytesOf({ body: { byteLength }, waitsMs }: RecordedReply): number {
  return (byteLength < SHORT_BYTES ? 2 : 1) * byteLength + OVERHEAD_BYTES + 8 * (waitsMs?.length ?? 0);
}

interface Room {
  get(entry: string): Kept | undefined;
  /** Makes room for it where there is none. */
  add(kept: Kept): void;
  drop(entry: string): void;
  hasRoom(): boolean;
  used(entry: string): void;
}

function createRoom(limitBytes: number, changes: Changes): Room {
  const replies = new Map<string, Kept>();
  let total = 0;
  const drop = (entry: string): void => {
    const dropped = replies.get(entry);
    if (dropped === undefined) return;
    total -= dropped.bytes;
    letGo(dropped);
    dropped.reply = undefined;
    replies.delete(entry);
  };
  const hasRoom = (): boolean => total <= limitBytes / 2;
  return {
    get: (entry) => replies.get(entry),
    drop,
    hasRoom,
    add(kept) {
      const had = hasRoom();
      replies.set(kept.entry, kept);
      total += kept.bytes;
      if (had && !hasRoom()) changes.count += 1;
      for (const oldest of replies.keys()) {
        if (total <= limitBytes) break;
        drop(oldest);
      }
    },
    // A map keeps the order of insertion: the first is the one used longest ago. With room to spare nobody asks.
    used(entry) {
      if (hasRoom()) return;
      const found = replies.get(entry);
      if (found === undefined) return;
      replies.delete(entry);
      replies.set(entry, found);
    },
  };
}

/** All replies of a type share one text of it, which is no piece of any file's text, and the headers that say it. */
function createReadyMaker(): (entry: string, reply: RecordedReply) => ReadyReply {
  const types = new Map<string, { readonly contentType: string; readonly headers: WireHeaders }>();
  return (entry, reply) => {
    if (reply.contentType === undefined) return readyReply(entry, reply);
    let known = types.get(reply.contentType);
    if (known === undefined) {
      const contentType = ownText(reply.contentType);
      types.set(contentType, (known = { contentType, headers: headersOf({ contentType }) }));
    }
    return readyReply(entry, { ...reply, contentType: known.contentType }, known.headers);
  };
}
