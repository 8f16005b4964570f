import { localize } from "../../core/base/localize.ts";
import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import type { CassetteStore, StoreReader, ReplayedTake } from "../../core/cassette/store.ts";
import { decodeRecording, decodeReply, type DecodeOptions } from "../../core/cassette/codec.ts";
import {
  NOT_KEPT,
  type RecordedReply,
  type Recording,
  type RecordingAddress,
} from "../../core/cassette/recording.ts";
import { isHeaderName } from "../../core/base/wire/text.ts";
import { createBrokenRecording } from "../../core/base/errors.ts";
import type { Key, WireHeaders } from "../../core/call/call.ts";
import { parseJson, tryParseJson } from "../../core/base/json/json-parse.ts";
import { readJsonStyle } from "../../core/base/json/json-style.ts";
import {
  getMember,
  isJsonNumber,
  isJsonObject,
  writeJson,
  type JsonObject,
} from "../../core/base/json/json-tree.ts";
import type { OperationRequest } from "../../core/match/read-request.ts";
import type { KeyedRequest } from "../../core/cassette/recorded-request.ts";
import { readBlob } from "./blobs.ts";
import { getErrorCode, createNoSuchRecordingError, convertStorageFailure } from "./failures.ts";
import { readBytesNow, readFileWithStats, type WholeFile } from "./read-file.ts";
import { computeSha256 } from "./sha256.ts";

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
  file: Uint8Array,
  address: RecordingAddress,
  { dir, wanted, verifyKey }: Reading,
): Recording {
  const options: DecodeOptions = {
    sha256: computeSha256,
    readBlob: (hash) => readBlob(dir, hash),
    ...(verifyKey && { verifyKey }),
  };
  return wanted === "all" ? decodeRecording(file, address, options) : decodeReply(file, address, options);
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

/** The lines at which request and reply begin, and the end of a file, as `encodeRecording` writes them. No text in JSON has a line break. */
const REQUEST = '\n  "request": {\n';
const REPLY = '\n  "reply": {';
const END = "\n  }\n}\n";
const BLOBS = '\n  "blobs": ';

/** The members before its request, in the order and form in which they are written. */
const HEAD =
  /^\{\n {2}"format": 1,\n {2}"provider": "([^"\\]+)",\n {2}"operation": "([^"\\]+)",\n(?: {2}"model": "[^"\\]*",\n)? {2}"key": "([^"\\]+)",\n {2}"recordedAt": "\d[^"\\]*",?\n/;

const CONFLICT = /\n(?:<{7}|\|{7}|={7}|>{7})[ \n]/;

type NamedFile = Pick<RecordingAddress, "provider" | "key">;

/** The places of the request and the reply in a file that begins as `encodeRecording` writes it. */
interface FileParts {
  readonly operation: string;
  readonly request: number;
  readonly reply: number;
}

function findParts(text: string, { provider, key }: NamedFile): FileParts | undefined {
  const head = HEAD.exec(text);
  const [, named, operation = "", digest] = head ?? [];
  if (head === null || named !== provider || digest !== key) return undefined;
  const request = text.indexOf(REQUEST, head[0].length - 1);
  const reply = text.indexOf(REPLY, request);
  return request < 0 || reply < 0 ? undefined : { operation, request, reply };
}

/**
 * Reads the request of a file that is as `encodeRecording` writes it, without reading its reply. Undefined for any other
 * file, for one with blobs, and for a body that is not an object or a list of JSON: `decodeRecording` reads these.
 */
export function readRequestOnly(text: string, address: NamedFile): OperationRequest | undefined {
  const parts = findParts(text, address);
  if (parts === undefined || text.lastIndexOf(BLOBS) > parts.reply) return undefined;
  const { operation, request, reply } = parts;
  const tree = tryParseJson(text.slice(request + REQUEST.length - 2, reply).replace(/,$/, ""));
  const [method, path, body, headers] = ["method", "path", "body", "headers"].map((name) =>
    getMember(tree, name),
  );
  const isSpecial = ["contentType", "values"].some((name) => getMember(tree, name) !== undefined);
  if (isSpecial || typeof method !== "string" || typeof path !== "string") return undefined;
  if (typeof body !== "object" || body === null || isJsonNumber(body)) return undefined;
  return {
    provider: address.provider,
    operation,
    method,
    path,
    body: { kind: "json", tree: body },
    ...(headers && isJsonObject(headers) && { headers: headers.members.flatMap(headerFrom) }),
  };
}

const headerFrom = ([name, value]: JsonObject["members"][number]): WireHeaders =>
  typeof value === "string" ? [[name, value]] : [];

/**
 * Reads the reply of a file that is exactly as `encodeRecording` writes it, without reading its request. Undefined for
 * any other file, and for one with blobs or with cassettes that own it: `decodeReply` reads these, and reports what is
 * wrong with them.
 */
export function readReplyOnly(text: string, address: NamedFile): RecordedReply | undefined {
  const parts = findParts(text, address);
  if (parts === undefined || !text.endsWith(END)) return undefined;
  const isOwned = text.lastIndexOf('\n  "cassettes": ', parts.request) >= 0;
  if (isOwned || CONFLICT.test(text)) return undefined;
  const members = text.slice(parts.reply + REPLY.length, -END.length);
  // Another member follows the reply.
  if (members.includes("\n  }")) return undefined;
  try {
    return replyFrom(members);
  } catch {
    return undefined;
  }
}

/** The member that contains the body, in one of its forms. */
const BODY = /\n {4}"(body|events|text)": /;
const WAITS = /,\n {4}"waitsMs": (\[[\d., ]*\])$/;

interface ReplyHead extends Pick<RecordedReply, "status" | "statusText" | "contentType"> {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly style?: unknown;
}

function replyFrom(members: string): RecordedReply | undefined {
  const found = BODY.exec(members);
  if (found === null) return undefined;
  const head = JSON.parse(`{${members.slice(0, found.index).replace(/,$/, "")}}`) as ReplyHead;
  const { status, statusText, contentType, style } = head;
  const headers = Object.entries(head.headers ?? {});
  const isSendable = isLine(statusText ?? "") && isLine(contentType ?? "") && headers.every(isKeptHeader);
  if (!isStatus(status) || !isSendable) return undefined;
  const rest = members.slice(found.index + found[0].length);
  const waits = WAITS.exec(rest);
  const form = waits === null ? rest : rest.slice(0, waits.index);
  const body = bodyFrom(found[1], form, { style, contentType });
  if (body === undefined) return undefined;
  return {
    status,
    ...(statusText !== undefined && { statusText }),
    ...(contentType !== undefined && { contentType }),
    ...(head.headers && { headers: headers as unknown as WireHeaders }),
    body: encoder.encode(body),
    ...(waits && { waitsMs: JSON.parse(waits[1] ?? "[]") as number[] }),
  };
}

const encoder = new TextEncoder();

/** Returns undefined if the parsed value is written differently: then its numbers or escapes are special. */
function bodyFrom(
  form: string | undefined,
  text: string,
  { style, contentType }: { readonly style: unknown; readonly contentType: string | undefined },
): string | undefined {
  if (form === "events") return style === undefined ? streamText(text, contentType) : undefined;
  const value: unknown = JSON.parse(text);
  if (form === "text") return typeof value === "string" && style === undefined ? value : undefined;
  if (style !== undefined) {
    const known = readJsonStyle(style);
    return known && writeJson(parseJson(text), known);
  }
  return JSON.stringify(value, undefined, 2).replaceAll("\n", "\n    ") === text
    ? JSON.stringify(value)
    : undefined;
}

/** Returns the text of server-sent events; undefined for other streams. */
function streamText(events: string, contentType = ""): string | undefined {
  const isList = events.startsWith("[\n") && events.endsWith("\n    ]");
  if (!isList || !/^text\/event-stream\s*(?:;|$)/i.test(contentType)) return undefined;
  let stream = "";
  for (const line of events.slice(2, -"\n    ]".length).split(/,?\n/)) {
    const event = eventText(line.trim());
    if (event === undefined) return undefined;
    stream += event;
  }
  return stream;
}

interface WrittenEvent {
  readonly event?: string;
  readonly text?: string;
  readonly raw?: string;
}

function eventText(line: string): string | undefined {
  const event = JSON.parse(line) as WrittenEvent;
  if (JSON.stringify(event) !== line) return undefined;
  const name = event.event === undefined ? "" : `event: ${event.event}\n`;
  switch (Object.keys(event).join()) {
    case "raw":
      return event.raw;
    case "text":
    case "event,text":
      return `${name}data: ${event.text}\n\n`;
    case "data":
      return `data: ${line.slice('{"data":'.length, -1)}\n\n`;
    case "event,data":
      return `${name}data: ${line.slice(`{"event":${JSON.stringify(event.event)},"data":`.length, -1)}\n\n`;
    default:
      return undefined;
  }
}

const isStatus = (status: unknown): boolean =>
  Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;

/** Whether a reply can be sent with this header: one line of characters up to U+00FF, with a name that the server does not set itself. */
function isKeptHeader([name, value]: readonly [name: string, value: unknown]): boolean {
  return isHeaderName(name) && !NOT_KEPT.test(name) && isLine(value);
}

const isLine = (value: unknown): boolean =>
  typeof value === "string" && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);
