import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { decodeRecording, decodeReply, type DecodeOptions } from "../../core/cassette/codec.ts";
import {
  isNamedByRules,
  type RecordedReply,
  type Recording,
  type RecordingAddress,
} from "../../core/cassette/recording.ts";
import { brokenRecording } from "../../core/errors.ts";
import { computeKey, type Sha256 } from "../../core/match/key/key.ts";
import { LARGE_BYTES } from "../../core/large.ts";
import { readBlob } from "./blobs.ts";
import { codeOf, noSuchRecording, storageFailure } from "./failures.ts";
import { readWholeFile, type ReadFile } from "./read-file.ts";
import type { NamedByRules } from "../keys/named-by-rules.ts";
import { signatureOf } from "./signature.ts";
import { createTakeTurns } from "./take-turns.ts";
import { createReplyCache } from "../replay/reply-cache.ts";
import type { UnchangedFolders } from "../replay/unchanged-folders.ts";

/** Reads recordings as they are on disk now. @throws TapedeckError `tapedeck_cassette` for what cannot be read. */
export interface RecordingReader {
  /** Remembers what it read for as long as the file has not changed. */
  reply(entry: string): Promise<RecordedReply>;
  /** What is remembered of a file in a folder that has not changed, as far as is known at this moment. Looks nothing up. */
  unchanged(entry: string): RecordedReply | undefined;
  /** Remembers what was put there, where the file is still the one that was `written`. */
  remember(entry: string, reply: RecordedReply, written: Stats): void;
  /** Reads anew. Who reads many in turn lets others have theirs. */
  read(entry: string, onFile?: (bytes: Uint8Array) => void): Promise<Recording>;
}

interface Parts {
  readonly dir: string;
  readonly sha256: Sha256;
  readonly cacheBytes: number;
  readonly folders: UnchangedFolders;
  readonly namedByRules: NamedByRules;
  readonly decodeAside?: DecodesAside | undefined;
}

/** What of a recording's file is wanted: `reply` goes without what was asked. */
export type Wanted = "all" | "reply";

/** Decodes the file of a large recording, and what lies in blobs, without keeping others waiting. */
export type DecodesAside = (file: {
  readonly dir: string;
  readonly entry: string;
  readonly bytes: Uint8Array;
  readonly wanted: Wanted;
}) => Promise<Recording>;

export function createRecordingReader(parts: Parts): RecordingReader {
  const { dir, cacheBytes, folders, namedByRules } = parts;
  const cache = createReplyCache(cacheBytes);
  const takeTurns = createTakeTurns();

  return {
    async reply(entry) {
      const inside = folderOf(entry);
      const known = cache.get(entry, folders.at(inside), () => statsAt(`${dir}/${entry}`));
      if (known !== undefined) {
        folders.repeated(inside);
        return known;
      }
      const { read, file } = await readAt(entry, join(dir, entry), { ...parts, wanted: "reply" });
      if (isNamedByRules(read) && !namedByRules.isThere()) {
        namedByRules.seen();
        throw brokenRecording(entry, NAMED_BY_RULES);
      }
      cache.set(entry, read.reply, file.signature);
      return read.reply;
    },
    unchanged: (entry) => cache.unchanged(entry, folders.at(folderOf(entry))),
    remember(entry, reply, { ino, size, mtimeMs }) {
      const stats = statsAt(`${dir}/${entry}`);
      // Nobody could change it before it had its name, a moment ago: what is seen now is what was written.
      if (stats !== undefined && stats.ino === ino && stats.size === size && stats.mtimeMs === mtimeMs)
        cache.set(entry, reply, { ...signatureOf(stats, Date.now()), settled: true });
    },
    async read(entry, onFile) {
      await takeTurns();
      return (await readAt(entry, join(dir, entry), { ...parts, wanted: "all", onFile })).read;
    },
  };
}

/** Nothing said so, and it was found by its name: whom it answers was not looked at. From now on that is done. */
const NAMED_BY_RULES =
  "it was named under rules of tapedeck.jsonc, and the file named-by-rules.txt that says so is missing. Ask again.";

/** The recording of an entry whose file lies at `path`, which may be elsewhere for the time being. @throws as `read`. */
export async function readRecordingAt(
  entry: string,
  path: string,
  { dir, sha256 }: Pick<Parts, "dir" | "sha256">,
): Promise<{ readonly recording: Recording; readonly file: ReadFile }> {
  const { read, file } = await readAt(entry, path, { dir, sha256, wanted: "all" });
  return { recording: read, file };
}

interface Reading extends Pick<Parts, "dir" | "sha256" | "decodeAside"> {
  readonly wanted: Wanted;
  readonly onFile?: ((bytes: Uint8Array) => void) | undefined;
}

async function readAt(
  entry: string,
  path: string,
  { dir, sha256, wanted, onFile, decodeAside }: Reading,
): Promise<{ readonly read: Recording; readonly file: ReadFile }> {
  const address = readEntry(entry);
  if ("wrong" in address) throw brokenRecording(entry, address.wrong);
  const file = await readWholeFile(path).catch((error: unknown) => {
    throw unreadable(dir, entry, error);
  });
  const { bytes } = file;
  onFile?.(bytes);
  const read =
    decodeAside !== undefined && isLarge(bytes)
      ? await decodeAside({ dir, entry, bytes, wanted })
      : decodeFile(bytes, address, { dir, sha256, wanted });
  return { read, file };
}

/** By itself, or by what lies in blobs. */
function isLarge(file: Uint8Array): boolean {
  const { buffer, byteOffset, byteLength } = file;
  return byteLength >= LARGE_BYTES || Buffer.from(buffer, byteOffset, byteLength).includes('"blobs"');
}

/** What a recording's file says. @throws TapedeckError `tapedeck_cassette` */
export function decodeFile(
  file: Uint8Array,
  address: RecordingAddress,
  { dir, sha256, wanted }: Pick<Reading, "dir" | "sha256" | "wanted">,
): Recording {
  const options: DecodeOptions = {
    sha256,
    readBlob: (hash) => readBlob(dir, hash),
    verifyKey: (request) => computeKey(request, sha256),
  };
  return wanted === "all" ? decodeRecording(file, address, options) : decodeReply(file, address, options);
}

function folderOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf("/"));
}

function statsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Reading the file says what is wrong with it.
    return undefined;
  }
}

function unreadable(dir: string, entry: string, error: unknown): Error {
  const code = codeOf(error);
  if (code === "ENOENT") return noSuchRecording(entry, error);
  if (code === "ELOOP") return brokenRecording(entry, "it is a symbolic link, and none is followed here.");
  if (code === "NOT_A_FILE") return brokenRecording(entry, "it is a pipe, a socket or a device.");
  if (code === "TOO_LARGE") return brokenRecording(entry, "it is larger than 256 MiB.");
  if (code === "EISDIR") return brokenRecording(entry, "it is a folder.");
  if (code === "EACCES") return brokenRecording(entry, "permission to read it is denied.");
  return storageFailure(dir, error);
}
