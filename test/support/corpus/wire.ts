import { eventMessage } from "../event-message.ts";
import type { RecordedExchange } from "../recorded-exchange.ts";

export type MadeReply = RecordedExchange["reply"];
export type MadeRequest = RecordedExchange["request"];

/** How a server spells JSON: without blanks, as Python does (with and without ASCII alone), or over several lines. */
export type Spelling = "compact" | "spaced" | "ascii" | "indented";

export function spell(value: unknown, spelling: Spelling = "compact"): string {
  if (spelling === "compact") return JSON.stringify(value);
  if (spelling === "indented") return JSON.stringify(value, undefined, 2);
  const text = spaced(value);
  return spelling === "spaced" ? text : text.replaceAll(/[\u007f-\uffff]/g, escaped);
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`).join(", ")}}`;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** How a server frames its events; everything here is allowed by WHATWG HTML 9.2. */
export interface Style {
  readonly spelling: Spelling;
  readonly newline: "\n" | "\r\n";
  /** Whether a blank follows the colon. */
  readonly blank: boolean;
  /** Comments between events, as servers send them to keep a connection open. */
  readonly comments: boolean;
  /** `id` and `retry` beside the data. */
  readonly numbered: boolean;
  /** False where the last event ends with the body and not with a blank line. */
  readonly closed: boolean;
  readonly contentType: string;
}

export const PLAIN: Style = {
  spelling: "compact",
  newline: "\n",
  blank: true,
  comments: false,
  numbered: false,
  closed: true,
  contentType: "text/event-stream",
};

/** Every way that servers are known to differ, each after a plain one. */
export const STYLES: readonly [Style, ...Style[]] = [
  PLAIN,
  { ...PLAIN, contentType: "text/event-stream; charset=utf-8", spelling: "spaced" },
  PLAIN,
  { ...PLAIN, newline: "\r\n" },
  PLAIN,
  { ...PLAIN, comments: true, contentType: "text/event-stream;charset=UTF-8" },
  PLAIN,
  { ...PLAIN, blank: false, spelling: "ascii" },
  PLAIN,
  { ...PLAIN, numbered: true, newline: "\r\n", spelling: "spaced" },
];

export interface MadeEvent {
  readonly event?: string;
  /** Written as JSON; a text as it is. */
  readonly data: unknown;
}

/** Server-sent events. */
export function eventsReply(events: readonly MadeEvent[], style: Style = PLAIN): MadeReply {
  const colon = style.blank ? ": " : ":";
  const frames = events.map(({ event, data }, index) => {
    const lines = [
      ...(style.comments && index % 3 === 0 ? [`: keep-alive ${index}`, ""] : []),
      ...(style.numbered ? [`id${colon}${index}`, ...(index === 0 ? [`retry${colon}3000`] : [])] : []),
      ...(event === undefined ? [] : [`event${colon}${event}`]),
      `data${colon}${typeof data === "string" ? data : spell(data, style.spelling)}`,
    ];
    return lines.join(style.newline);
  });
  const end = style.newline.repeat(2);
  const body = `${frames.join(end)}${style.closed ? end : ""}`;
  return { status: 200, contentType: style.contentType, body: bytes(body) };
}

/** Events that are named as their data's `type`. */
export function namedEvents(
  events: readonly (object & { readonly type: string })[],
  style: Style = PLAIN,
): MadeReply {
  return eventsReply(
    events.map((data) => ({ event: data.type, data })),
    style,
  );
}

export function jsonReply(value: unknown, spelling: Spelling = "compact", status = 200): MadeReply {
  return { status, contentType: "application/json", body: bytes(spell(value, spelling)) };
}

/** One JSON value for each line; `closed` ends the last line. */
export function linesReply(
  values: readonly unknown[],
  contentType = "application/x-ndjson",
  closed = true,
): MadeReply {
  const body = values.map((value) => JSON.stringify(value)).join("\n");
  return { status: 200, contentType, body: bytes(closed ? `${body}\n` : body) };
}

/** Messages of an AWS event stream. */
export function messagesReply(events: readonly (readonly [type: string, data: unknown])[]): MadeReply {
  const messages = events.map(([type, data]) => eventMessage({ ":event-type": type }, JSON.stringify(data)));
  return {
    status: 200,
    contentType: "application/vnd.amazon.eventstream",
    body: Uint8Array.from(Buffer.concat(messages)),
  };
}

export function jsonRequest(path: string, value: unknown, spelling: Spelling = "compact"): MadeRequest {
  return { method: "POST", path, contentType: "application/json", body: bytes(spell(value, spelling)) };
}

export function emptyRequest(method: string, path: string): MadeRequest {
  return { method, path, body: new Uint8Array() };
}

/** A picture of one pixel, as base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
