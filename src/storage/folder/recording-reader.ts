import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import type { CassetteStore, StoreReader, ReplayedTake } from "../../core/cassette/store.ts";
import { decodeRecording, decodeReply, type DecodeOptions } from "../../core/cassette/codec.ts";
import { readReplyOnly } from "../../core/cassette/reply-only.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { brokenRecording } from "../../core/base/errors.ts";
import type { Key } from "../../core/call/call.ts";
import type { KeyedRequest } from "../../core/cassette/recorded-request.ts";
import { readBlob } from "./blobs.ts";
import { codeOf, noSuchRecording, storageFailure } from "./failures.ts";
import { readFileWithStats, type WholeFile } from "./read-file.ts";
import { sha256 } from "./sha256.ts";

/** Reads recordings as they are on disk now. @throws TapedeckError `tapedeck_cassette` for what cannot be read. */
export type RecordingReader = Pick<CassetteStore, "read">;

/** Parts of a recording to decode. `reply` skips the request. */
export type ReadScope = "all" | "reply";

/** Computes the key of a request under the rules of the project. */
export type KeyOf = (request: KeyedRequest) => Key;

/** The size and times of a file. They change whenever its content does. */
export type FileStamp = Pick<Stats, "size" | "mtimeMs" | "ctimeMs">;

/** Remembers which files were verified against their keys, so that a replay need not read the recorded request. */
export interface VerifiedFiles {
  /**
   * Whether the key of this file was verified under the present rules and the file has not changed since. A file that
   * was never noted, as after a checkout, counts as verified from now on: `tapedeck check` verifies these.
   */
  isVerified(entry: string, stamp: FileStamp): boolean;
  /** `stamp` must have been read before the content that was verified. */
  noteVerified(entry: string, stamp: FileStamp): void;
}

export function createRecordingReader(dir: string, keyOf: KeyOf, verified?: VerifiedFiles): RecordingReader {
  const readTake = async (entry: string): Promise<ReplayedTake> => {
    const { bytes, stats, address } = await readFileOf(entry, join(dir, entry), dir);
    const isVerified = verified?.isVerified(entry, stats) !== false;
    const reply = isVerified && isUtf8(bytes) ? readReplyOnly(bytes.toString("utf8"), address) : undefined;
    if (reply !== undefined) return { reply };
    // An edited file, or a special case such as a recording with blobs, is read whole.
    const recording = decodeFile(bytes, address, { dir, wanted: "reply", verifyKey: keyOf });
    if (!isVerified) verified?.noteVerified(entry, stats);
    return recording;
  };
  return {
    read: ((entry: string, purpose?: "replay") =>
      purpose === "replay" ? readTake(entry) : readRecordingAt(entry, join(dir, entry), dir)) as StoreReader,
  };
}

/** The recording of an entry whose file is at `path`, which may be elsewhere for the time being. @throws as `read`. */
export async function readRecordingAt(entry: string, path: string, dir: string): Promise<Recording> {
  const { bytes, address } = await readFileOf(entry, path, dir);
  return decodeFile(bytes, address, { dir, wanted: "all" });
}

interface Reading extends Pick<DecodeOptions, "verifyKey"> {
  readonly dir: string;
  readonly wanted: ReadScope;
}

async function readFileOf(
  entry: string,
  path: string,
  dir: string,
): Promise<WholeFile & { readonly address: RecordingAddress }> {
  const address = readEntry(entry);
  if ("wrong" in address) throw brokenRecording(entry, address.wrong);
  try {
    return { ...(await readFileWithStats(path)), address };
  } catch (error) {
    throw unreadable(dir, entry, error);
  }
}

/** Decodes the file of a recording. @throws TapedeckError `tapedeck_cassette` */
export function decodeFile(
  file: Uint8Array,
  address: RecordingAddress,
  { dir, wanted, verifyKey }: Reading,
): Recording {
  const options: DecodeOptions = {
    sha256,
    readBlob: (hash) => readBlob(dir, hash),
    ...(verifyKey && { verifyKey }),
  };
  return wanted === "all" ? decodeRecording(file, address, options) : decodeReply(file, address, options);
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
