import { localize } from "../../core/base/localize.ts";
import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import type { CassetteStore, StoreReader, ReplayedTake } from "../../core/cassette/store.ts";
import { decodeRecording, decodeReply, type DecodeOptions } from "../../core/cassette/codec.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { createBrokenRecording } from "../../core/base/errors.ts";
import type { Key } from "../../core/call/call.ts";
import type { OperationRequest } from "../../core/match/read-request.ts";
import type { KeyedRequest } from "../../core/cassette/recorded-request.ts";
import { readBlob } from "./blobs.ts";
import { getErrorCode, createNoSuchRecordingError, convertStorageFailure } from "./failures.ts";
import { readBytesNow, readFileWithStats, type WholeFile } from "./read-file.ts";
import { computeSha256 } from "./sha256.ts";
import { readReplyOnly, readRequestOnly, readWritten } from "./written-file.ts";

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
  const readTake = async (entry: string): Promise<ReplayedTake | undefined> => {
    const file = await readFileOf(entry, join(dir, entry), dir);
    if (file === undefined) return undefined;
    const { bytes, stats, address } = file;
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

/** Reads a request as `readRequestOnly` does, from the first of these folders that has its recording. @throws if none can be read */
export function readRequestIn(
  folders: readonly string[],
  address: RecordingAddress,
): OperationRequest | undefined {
  const [folder = "", ...others] = folders;
  try {
    return readRequestOnly(readBytesNow(join(folder, address.entry)).toString("utf8"), address);
  } catch (error) {
    if (others.length === 0) throw error;
    return readRequestIn(others, address);
  }
}

/** Reads the recording of an entry from `path`, which may be a temporary place. @throws as `read`. */
export async function readRecordingAt(entry: string, path: string, dir: string): Promise<Recording> {
  const file = await readFileOf(entry, path, dir);
  if (file === undefined) throw createNoSuchRecordingError(entry);
  const { bytes, address } = file;
  return decodeFile(bytes, address, { dir, wanted: "all" });
}

interface Reading extends Pick<DecodeOptions, "verifyKey"> {
  readonly dir: string;
  readonly wanted: ReadScope;
}

/** Reads the file of an entry; undefined if there is none. @throws TapedeckError `tapedeck_cassette` */
async function readFileOf(
  entry: string,
  path: string,
  dir: string,
): Promise<(WholeFile & { readonly address: RecordingAddress }) | undefined> {
  const address = readEntry(entry);
  if ("wrong" in address) throw createBrokenRecording(entry, address.wrong);
  try {
    return { ...(await readFileWithStats(path)), address };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(dir, entry, error);
  }
}

/** Decodes the file of a recording. @throws TapedeckError `tapedeck_cassette` */
export function decodeFile(
  file: Buffer,
  address: RecordingAddress,
  { dir, wanted, verifyKey }: Reading,
): Recording {
  const options: DecodeOptions = {
    sha256: computeSha256,
    readBlob: (hash) => readBlob(dir, hash),
    ...(verifyKey && { verifyKey }),
  };
  if (wanted === "reply") return decodeReply(file, address, options);
  const written = isUtf8(file) ? readWritten(file.toString("utf8"), address, options) : undefined;
  return written ?? decodeRecording(file, address, options);
}

function unreadable(dir: string, entry: string, error: unknown): Error {
  const code = getErrorCode(error);
  if (code === "ELOOP")
    return createBrokenRecording(entry, localize("it is a symbolic link, and links are not followed here."));
  if (code === "NOT_A_FILE")
    return createBrokenRecording(entry, localize("it is a pipe, a socket, or a device."));
  if (code === "TOO_LARGE") return createBrokenRecording(entry, localize("it is larger than 256 MiB."));
  if (code === "EISDIR") return createBrokenRecording(entry, localize("it is a folder."));
  if (code === "EACCES") return createBrokenRecording(entry, localize("permission to read it is denied."));
  return convertStorageFailure(dir, error);
}
