import { parseJson } from "../base/json/json-parse.ts";
import { jsonStyleFrom } from "../base/json/json-style.ts";
import { writeJson } from "../base/json/json-tree.ts";
import type { WireHeaders } from "../call/call.ts";
import type { RecordedReply, RecordingAddress } from "./recording.ts";

/** Where request and reply begin, and how the file ends, as `encodeRecording` writes it: a text in JSON has no line break. */
const REQUEST = '\n  "request": {\n';
const REPLY = '\n  "reply": {';
const END = "\n  }\n}\n";

/** The members before its request, in the order and form in which they are written. */
const HEAD =
  /^\{\n {2}"format": 1,\n {2}"provider": "([^"\\]+)",\n {2}"operation": "[^"\\]+",\n(?: {2}"model": "[^"\\]*",\n)? {2}"key": "([^"\\]+)",\n {2}"recordedAt": "\d[^"\\]*",?\n/;

const CONFLICT = /\n(?:<{7}|\|{7}|={7}|>{7})[ \n]/;

/**
 * Reads the reply of a file that is exactly as `encodeRecording` writes it, without reading its request. Undefined for
 * any other file, and for one with blobs or with cassettes that own it: `decodeRecording` reads these, and names what is
 * wrong with them.
 */
export function readReplyOnly(
  text: string,
  { provider, key }: Pick<RecordingAddress, "provider" | "key">,
): RecordedReply | undefined {
  const head = HEAD.exec(text);
  if (head?.[1] !== provider || head[2] !== key || !text.endsWith(END)) return undefined;
  const request = text.indexOf(REQUEST, head[0].length - 1);
  const reply = text.indexOf(REPLY, request);
  const isOwned = text.lastIndexOf('\n  "cassettes": ', request) >= 0;
  if (request < 0 || reply < 0 || isOwned || CONFLICT.test(text)) return undefined;
  const members = text.slice(reply + REPLY.length, -END.length);
  // The end of another member is between: the file goes on after its reply.
  if (members.includes("\n  }")) return undefined;
  try {
    return replyFrom(members);
  } catch {
    return undefined;
  }
}

/** The member that has the body, in one of its forms. */
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

/** Undefined where writing the parsed value again gives another text: then its numbers or escapes are special. */
function bodyFrom(
  form: string | undefined,
  text: string,
  { style, contentType }: { readonly style: unknown; readonly contentType: string | undefined },
): string | undefined {
  if (form === "events") return style === undefined ? streamText(text, contentType) : undefined;
  const value: unknown = JSON.parse(text);
  if (form === "text") return typeof value === "string" && style === undefined ? value : undefined;
  if (style !== undefined) {
    const known = jsonStyleFrom(style);
    return known && writeJson(parseJson(text), known);
  }
  return JSON.stringify(value, undefined, 2).replaceAll("\n", "\n    ") === text
    ? JSON.stringify(value)
    : undefined;
}

/** The text of server-sent events; undefined for other streams. */
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

/** Whether a reply can be sent with this header: one line of characters up to U+00FF, under a name that the server does not set itself. */
export function isKeptHeader([name, value]: readonly [name: string, value: unknown]): boolean {
  return isHeaderName(name) && !NOT_KEPT.test(name) && isLine(value);
}

export const isHeaderName = (name: string): boolean => /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name);

const isLine = (value: unknown): boolean =>
  typeof value === "string" && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);

/** They are the server's own, or say who a client is. */
export const NOT_KEPT =
  /^(?:content-(?:type|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date|set-cookie|x-tapedeck-.*)$/;
