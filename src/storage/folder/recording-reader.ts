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
import { createBrokenRecording, isTapedeckError } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/json/json-parse.ts";
import { readJsonStyle } from "../../core/base/json/json-style.ts";
import { writeJson } from "../../core/base/json/json-tree.ts";
import { isHeaderName } from "../../core/base/wire/text.ts";
import type { Key, WireHeaders } from "../../core/call/call.ts";
import type { KeyedRequest } from "../../core/cassette/recorded-request.ts";
import { readBlob } from "./blobs.ts";
import { createNoSuchRecordingError, convertReadFailure } from "./failures.ts";
import { computeSha256, readFileWithStats, type WholeFile } from "./read-file.ts";

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
    const recording = decodeFile(bytes, address, { dir, scope: "reply", verifyKey: keyOf });
    if (!isVerified) verified?.noteVerified(entry, stats);
    return recording;
  };
  return {
    read: ((entry: string, purpose?: "replay") =>
      purpose === "replay" ? readTake(entry) : readRecordingAt(entry, join(dir, entry), dir)) as StoreReader,
  };
}

/** Reads the recording of an entry from `path`, which may be a temporary place. @throws as `read`. */
export async function readRecordingAt(entry: string, path: string, dir: string): Promise<Recording> {
  const file = await readFileOf(entry, path, dir);
  if (file === undefined) throw createNoSuchRecordingError(entry);
  const { bytes, address } = file;
  return decodeFile(bytes, address, { dir, scope: "all" });
}

interface ReadContext extends Pick<DecodeOptions, "verifyKey"> {
  readonly dir: string;
  readonly scope: ReadScope;
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
    throw convertReadFailure(dir, entry, error);
  }
}

/** Decodes the file of a recording. @throws TapedeckError `tapedeck_cassette` */
export function decodeFile(
  file: Buffer,
  address: RecordingAddress,
  { dir, scope, verifyKey }: ReadContext,
): Recording {
  const options: DecodeOptions = {
    sha256: computeSha256,
    readBlob: (hash) => readBlob(dir, hash),
    ...(verifyKey && { verifyKey }),
  };
  if (scope === "reply") return decodeReply(file, address, options);
  const written = isUtf8(file) ? readWritten(file.toString("utf8"), address, options) : undefined;
  return written ?? decodeRecording(file, address, options);
}

/*
 * Reads parts of files that are exactly as `encodeRecording` writes them. The JSON of their replies is parsed by the
 * engine, which takes a fraction of the time of the decoder that keeps numbers and reports positions.
 */

/** The lines at which request and reply begin, and the end of a file, as `encodeRecording` writes them. No text in JSON has a line break. */
export const REQUEST = '\n  "request": {\n';
const REPLY = '\n  "reply": {';
const END = "\n  }\n}\n";

/** The members before its request, in the order and form in which they are written. */
const HEAD =
  /^\{\n {2}"format": 1,\n {2}"provider": "([^"\\]+)",\n {2}"operation": "([^"\\]+)",\n(?: {2}"model": "([^"\\]*)",\n)? {2}"key": "([^"\\]+)",\n {2}"recordedAt": "(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)",?\n/;

const CONFLICT = /\n(?:<{7}|\|{7}|={7}|>{7})[ \n]/;

export type NamedFile = Pick<RecordingAddress, "provider" | "key">;

/** The places of the request and the reply in a file that begins as `encodeRecording` writes it. */
export interface FileParts extends Pick<Recording, "operation" | "recordedAt" | "model"> {
  readonly request: number;
  readonly reply: number;
  /** Behind the members that every recording has. Others may follow, such as its test. */
  readonly headEnd: number;
}

export function findParts(text: string, { provider, key }: NamedFile): FileParts | undefined {
  const head = HEAD.exec(text);
  const [, named, operation = "", model, digest, recordedAt = ""] = head ?? [];
  if (head === null || named !== provider || digest !== key) return undefined;
  const request = text.indexOf(REQUEST, head[0].length - 1);
  const reply = text.indexOf(REPLY, request);
  return request < 0 || reply < 0
    ? undefined
    : {
        operation,
        recordedAt,
        ...(model !== undefined && { model }),
        request,
        reply,
        headEnd: head[0].length,
      };
}

/**
 * Reads the reply of a file that is exactly as `encodeRecording` writes it, without reading its request. Undefined for
 * any other file, and for one with blobs or with cassettes that own it: `decodeReply` reads these, and reports what is
 * wrong with them.
 */
export function readReplyOnly(text: string, address: NamedFile): RecordedReply | undefined {
  const parts = findParts(text, address);
  if (parts === undefined || CONFLICT.test(text.slice(0, parts.reply))) return undefined;
  const isOwned = text.lastIndexOf('\n  "cassettes": ', parts.request) >= 0;
  return isOwned ? undefined : readReplyAt(text, parts.reply);
}

/**
 * Reads a recording as `decodeRecording` does. Undefined for a file that is written differently, or wrong, or that has
 * blobs: `decodeRecording` reads these.
 */
export function readWritten(
  text: string,
  address: RecordingAddress,
  options: DecodeOptions,
): Recording | undefined {
  const parts = findParts(text, address);
  const reply = parts && readReplyAt(text, parts.reply);
  if (reply === undefined) return undefined;
  try {
    return { ...decodeRecording(text.slice(0, parts?.reply) + ANY_REPLY, address, options), reply };
  } catch (error) {
    if (isTapedeckError(error)) return undefined;
    throw error;
  }
}

const ANY_REPLY = `${REPLY} "status": 200, "text": "" }}`;

function readReplyAt(text: string, at: number): RecordedReply | undefined {
  try {
    const parts = readReplyParts(text, at);
    const body = parts && readReplyBody(parts);
    return parts === undefined || body === undefined
      ? undefined
      : { ...parts.head, body: encoder.encode(body) };
  } catch {
    return undefined;
  }
}

/** The member that contains the body, in one of its forms. */
const BODY = /\n {4}"(body|events|text)": /;
/** A member of the reply, or a header, with its indentation. */
const MEMBER = /\n {4,6}"[^"]*":/g;
const WAITS = /,\n {4}"waitsMs": (\[[\d., ]*\])$/;

interface WrittenHead extends Pick<RecordedReply, "status" | "statusText" | "contentType"> {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly style?: unknown;
}

/** A reply whose body is not decoded yet. */
export interface ReplyParts {
  readonly head: Omit<RecordedReply, "body">;
  /** The name of the member that has the body. */
  readonly form: string;
  readonly text: string;
  readonly style: unknown;
}

/** Reads the reply that begins at `at`. Undefined if it is written differently. @throws if it is not JSON */
export function readReplyParts(file: string, at: number): ReplyParts | undefined {
  if (!file.endsWith(END)) return undefined;
  const members = file.slice(at + REPLY.length, -END.length);
  const found = BODY.exec(members);
  // Another member may follow the reply.
  if (found === null || members.includes("\n  }")) return undefined;
  const begun = members.slice(0, found.index);
  const names = begun.match(MEMBER) ?? [];
  // The full decoder reports a member that appears twice.
  if (new Set(names).size < names.length) return undefined;
  const head = JSON.parse(`{${begun.replace(/,$/, "")}}`) as WrittenHead;
  const { status, statusText = "", contentType = "", headers: kept = {}, style } = head;
  if (typeof kept !== "object" || Array.isArray(kept)) return undefined;
  const headers = Object.entries(kept);
  const isSendable = isLine(statusText) && isLine(contentType) && headers.every(isKeptHeader);
  if (!isStatus(status) || !isSendable) return undefined;
  const rest = members.slice(found.index + found[0].length);
  const waits = WAITS.exec(rest);
  return {
    head: {
      status,
      ...(head.statusText !== undefined && { statusText }),
      ...(head.contentType !== undefined && { contentType }),
      ...(head.headers && { headers: headers as unknown as WireHeaders }),
      ...(waits && { waitsMs: JSON.parse(waits[1] ?? "[]") as number[] }),
    },
    form: found[1] ?? "",
    text: waits === null ? rest : rest.slice(0, waits.index),
    style,
  };
}

const encoder = new TextEncoder();

/** Returns undefined if the parsed value is written differently: then its numbers or escapes are special. */
export function readReplyBody(parts: ReplyParts): string | undefined {
  const { form, text, style } = parts;
  if (form === "events") return joinEvents(listEventLines(parts));
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

/** Returns the lines of server-sent events; undefined for other streams. */
export function listEventLines({ head, text, style }: ReplyParts): readonly string[] | undefined {
  const isList = text.startsWith(FIRST_LINE) && text.endsWith(LAST_LINE);
  const isPlain = style === undefined && /^text\/event-stream\s*(?:;|$)/i.test(head.contentType ?? "");
  return isList && isPlain ? text.slice(FIRST_LINE.length, -LAST_LINE.length).split(NEXT_LINE) : undefined;
}

const [FIRST_LINE, NEXT_LINE, LAST_LINE] = ["[\n      ", ",\n      ", "\n    ]"];

/** Parses all events at once, because a suite parses each event only once, and the parser is slow to start. */
function joinEvents(lines: readonly string[] | undefined): string | undefined {
  if (lines === undefined) return undefined;
  const events = JSON.parse(`[${lines.join(",")}]`) as readonly WrittenEvent[];
  let stream = "";
  for (const [index, line] of lines.entries()) {
    const text = formatEvent(events[index], line);
    if (text === undefined) return undefined;
    stream += text;
  }
  return stream;
}

interface WrittenEvent {
  readonly event?: string;
  readonly text?: string;
  readonly raw?: string;
}

/** Returns the text of an event; undefined if it is written differently. */
export function writeEventText(line: string): string | undefined {
  return formatEvent(JSON.parse(line) as WrittenEvent, line);
}

function formatEvent(event: WrittenEvent | undefined, line: string): string | undefined {
  if (event === undefined || JSON.stringify(event) !== line) return undefined;
  const isText = (one: unknown): boolean => one === undefined || typeof one === "string";
  if (!isText(event.event) || !isText(event.text) || !isText(event.raw)) return undefined;
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
