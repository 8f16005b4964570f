import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { decodeRecording, decodeReply, type DecodeOptions } from "../../core/cassette/codec.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { brokenRecording } from "../../core/base/errors.ts";
import type { Key } from "../../core/call/call.ts";
import type { KeyedRequest } from "../../core/cassette/recorded-request.ts";
import { readBlob } from "./blobs.ts";
import { codeOf, noSuchRecording, storageFailure } from "./failures.ts";
import { readWholeFile } from "./read-file.ts";
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
  /** Whether the key of this file was verified under the present rules and the file has not changed since. */
  isVerified(entry: string, stamp: FileStamp): boolean;
  /** `stamp` must have been read before the content that was verified. */
  noteVerified(entry: string, stamp: FileStamp): void;
}

export function createRecordingReader(dir: string, keyOf: KeyOf, verified?: VerifiedFiles): RecordingReader {
  return {
    async read(entry, purpose) {
      const path = join(dir, entry);
      if (purpose !== "replay") return readAt(entry, path, { dir, wanted: "all" });
      const stamp = verified && lstatSync(path, { throwIfNoEntry: false });
      if (stamp !== undefined && verified?.isVerified(entry, stamp) === true)
        return readAt(entry, path, { dir, wanted: "reply" });
      const recording = await readAt(entry, path, { dir, wanted: "reply", verifyKey: keyOf });
      if (stamp !== undefined) verified?.noteVerified(entry, stamp);
      return recording;
    },
  };
}

/** The recording of an entry whose file is at `path`, which may be elsewhere for the time being. @throws as `read`. */
export function readRecordingAt(entry: string, path: string, dir: string): Promise<Recording> {
  return readAt(entry, path, { dir, wanted: "all" });
}

interface Reading extends Pick<DecodeOptions, "verifyKey"> {
  readonly dir: string;
  readonly wanted: ReadScope;
}

async function readAt(entry: string, path: string, reading: Reading): Promise<Recording> {
  const address = readEntry(entry);
  if ("wrong" in address) throw brokenRecording(entry, address.wrong);
  const bytes = await readWholeFile(path).catch((error: unknown) => {
    throw unreadable(reading.dir, entry, error);
  });
  return decodeFile(bytes, address, reading);
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
