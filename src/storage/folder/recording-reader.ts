import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { decodeRecording, decodeReply, type DecodeOptions } from "../../core/cassette/codec.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { brokenRecording } from "../../core/errors.ts";
import { computeKey } from "../../core/match/key/key.ts";
import { LARGE_BYTES } from "../../core/large.ts";
import { readBlob } from "./blobs.ts";
import { codeOf, noSuchRecording, storageFailure } from "./failures.ts";
import { readWholeFile, type ReadFile } from "./read-file.ts";
import { sha256 } from "./sha256.ts";
import { createTakeTurns } from "./take-turns.ts";

/** Reads recordings as they are on disk now. @throws TapedeckError `tapedeck_cassette` for what cannot be read. */
export interface RecordingReader {
  /** Without its request, and with the state of the file. */
  readReply(entry: string): Promise<RecordingInFile>;
  /** Who reads many in turn lets others have theirs. */
  read(entry: string, onFile?: (bytes: Uint8Array) => void): Promise<Recording>;
}

interface RecordingInFile {
  readonly recording: Recording;
  readonly file: ReadFile;
}

interface Parts {
  readonly dir: string;
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
  const { dir } = parts;
  const takeTurns = createTakeTurns();
  return {
    readReply: (entry) => readAt(entry, join(dir, entry), { ...parts, wanted: "reply" }),
    async read(entry, onFile) {
      await takeTurns();
      return (await readAt(entry, join(dir, entry), { ...parts, wanted: "all", onFile })).recording;
    },
  };
}

/** The recording of an entry whose file lies at `path`, which may be elsewhere for the time being. @throws as `read`. */
export function readRecordingAt(entry: string, path: string, dir: string): Promise<RecordingInFile> {
  return readAt(entry, path, { dir, wanted: "all" });
}

interface Reading extends Parts {
  readonly wanted: Wanted;
  readonly onFile?: ((bytes: Uint8Array) => void) | undefined;
}

async function readAt(
  entry: string,
  path: string,
  { dir, wanted, onFile, decodeAside }: Reading,
): Promise<RecordingInFile> {
  const address = readEntry(entry);
  if ("wrong" in address) throw brokenRecording(entry, address.wrong);
  const file = await readWholeFile(path).catch((error: unknown) => {
    throw unreadable(dir, entry, error);
  });
  const { bytes } = file;
  onFile?.(bytes);
  const recording =
    decodeAside !== undefined && isLarge(bytes)
      ? await decodeAside({ dir, entry, bytes, wanted })
      : decodeFile(bytes, address, { dir, wanted });
  return { recording, file };
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
  { dir, wanted }: Pick<Reading, "dir" | "wanted">,
): Recording {
  const options: DecodeOptions = {
    sha256,
    readBlob: (hash) => readBlob(dir, hash),
    verifyKey: (request) => computeKey(request, sha256),
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
