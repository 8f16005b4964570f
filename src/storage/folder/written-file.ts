import type { WireHeaders } from "../../core/call/call.ts";
import { decodeRecording, type DecodeOptions } from "../../core/cassette/codec.ts";
import {
  NOT_KEPT,
  type RecordedReply,
  type Recording,
  type RecordingAddress,
} from "../../core/cassette/recording.ts";
import { isTapedeckError } from "../../core/base/errors.ts";
import { parseJson, tryParseJson } from "../../core/base/json/json-parse.ts";
import { readJsonStyle } from "../../core/base/json/json-style.ts";
import {
  getMember,
  isJsonNumber,
  isJsonObject,
  plainJson,
  writeJson,
  type JsonObject,
} from "../../core/base/json/json-tree.ts";
import { isFields, isText } from "../../core/base/lenient.ts";
import { isHeaderName } from "../../core/base/wire/text.ts";
import type { OperationRequest } from "../../core/match/read-request.ts";

/*
 * Reads parts of files that are exactly as `encodeRecording` writes them. The JSON of their replies is parsed by the
 * engine, which takes a fraction of the time of the decoder that keeps numbers and reports positions.
 */

/** The lines at which request and reply begin, and the end of a file, as `encodeRecording` writes them. No text in JSON has a line break. */
const REQUEST = '\n  "request": {\n';
const REPLY = '\n  "reply": {';
const END = "\n  }\n}\n";
const BLOBS = '\n  "blobs": ';

/** The members before its request, in the order and form in which they are written. */
const HEAD =
  /^\{\n {2}"format": 1,\n {2}"provider": "([^"\\]+)",\n {2}"operation": "([^"\\]+)",\n(?: {2}"model": "([^"\\]*)",\n)? {2}"key": "([^"\\]+)",\n {2}"recordedAt": "(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)",?\n/;

const CONFLICT = /\n(?:<{7}|\|{7}|={7}|>{7})[ \n]/;

export type NamedFile = Pick<RecordingAddress, "provider" | "key">;

/** The places of the request and the reply in a file that begins as `encodeRecording` writes it. */
interface FileParts extends Pick<Recording, "operation" | "recordedAt" | "model"> {
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

/** Reads the reply that begins at `at`. */
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
  // Refuses a member that appears twice.
  const tree = parseJson(`{${members.slice(0, found.index).replace(/,$/, "")}}`);
  const head = plainJson(tree) as WrittenHead;
  const { status, statusText = "", contentType = "", headers: kept = {}, style } = head;
  if (!isFields(kept)) return undefined;
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

function joinEvents(lines: readonly string[] | undefined): string | undefined {
  if (lines === undefined) return undefined;
  let stream = "";
  for (const line of lines) {
    const event = writeEventText(line);
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

/** Returns the text of an event; undefined if it is written differently. */
export function writeEventText(line: string): string | undefined {
  const event = JSON.parse(line) as WrittenEvent;
  const isOfTexts = [event.event, event.text, event.raw].every((one) => one === undefined || isText(one));
  if (!isOfTexts || JSON.stringify(event) !== line) return undefined;
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
