import { localize } from "../base/localize.ts";
import type { EventHeader, HeaderValue } from "../base/wire/event-stream-headers.ts";
import { writeMessage } from "../base/wire/event-stream.ts";
import { framingOf } from "../base/wire/framing.ts";
import { jsonStyleFrom, type JsonStyle } from "../base/json/json-style.ts";
import { isJsonObject, writeJson } from "../base/json/json-tree.ts";
import { bytesOf, joinBytes } from "../base/wire/text.ts";
import { decodeBase64 } from "../base/base64.ts";
import { EVENT_HEADERS, EVENT_VALUES, INSIDE, withoutInside } from "./encode-messages.ts";
import { eventText, type StoredEvent, type StreamStyle } from "./events.ts";
import {
  elementsOf,
  fault,
  integerAt,
  membersOf,
  nameOf,
  optional,
  plainAt,
  requireMember,
  stringAt,
  type FilePlace,
} from "./file-reader.ts";

/** The bytes of a stream, from its events in a file. @throws JsonFault where they are none. */
export function eventsAt(
  place: FilePlace,
  stylePlace: FilePlace | undefined,
  contentType: string | undefined,
): Uint8Array {
  const framing = framingOf(contentType) ?? "events";
  if (framing === "messages") {
    if (stylePlace) throw fault(stylePlace, localize("cannot be combined with messages"));
    return joinBytes(elementsOf(place).map(messageAt));
  }
  const style = stylePlace ? streamStyleAt(stylePlace) : {};
  const pieces: Uint8Array[] = [];
  let text = "";
  for (const element of elementsOf(place)) {
    const stored = eventAt(element);
    if (!("base64" in stored)) {
      text += eventText(stored, framing, style);
      continue;
    }
    const base64 = membersOf(element).get("base64") ?? element;
    pieces.push(bytesOf(text), bytesAt(base64));
    text = "";
  }
  return joinBytes([...pieces, bytesOf(text)]);
}

const EVENT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  data: ["event", "data", "pad", "style"],
  text: ["event", "text"],
  raw: ["raw"],
  base64: ["base64"],
};

function eventAt(place: FilePlace): StoredEvent {
  const members = membersOf(place);
  const form = Object.keys(EVENT_MEMBERS).find((name) => members.has(name));
  if (form === undefined) throw fault(place, localize('needs one of "data", "text", "raw", and "base64"'));
  for (const [name, value] of members) {
    // An event is the wire itself: a member that is not understood cannot be passed over.
    if (EVENT_MEMBERS[form]?.includes(name) !== true)
      throw fault(value, localize('cannot be combined with "{0}"', form));
  }
  const content = requireMember(place, members, form);
  if (form === "raw") return { raw: stringAt(content) };
  if (form === "base64") return { base64: "" };
  const name = optional(members, { event: stringAt });
  if (form === "text") return { ...name, text: stringAt(content) };
  const more = optional(members, { pad: (pad) => integerAt(pad, 1), style: jsonStyleAt });
  return { ...name, data: content.tree, ...more };
}

function streamStyleAt(place: FilePlace): StreamStyle {
  const members = membersOf(place);
  const style: { newline?: "\r\n" | "\r"; space?: false; json?: JsonStyle } = {};
  for (const [name, value] of members) {
    const plain = plainAt(value);
    if (name === "newline" && (plain === "\r\n" || plain === "\r")) style.newline = plain;
    else if (name === "space" && plain === false) style.space = false;
    else if (name === "json") style.json = jsonStyleAt(value);
    else throw fault(value, localize("is not part of a stream's style"));
  }
  return style;
}

export function jsonStyleAt(place: FilePlace): JsonStyle {
  const style = jsonStyleFrom(plainAt(place));
  if (style === undefined) throw fault(place, localize("is not a style of JSON"));
  return style;
}

const MEMBERS = new Set(["event", "headers", "data", "text", "base64", "inside", "style"]);

/**
 * A message of an AWS event stream from its event in a file. Lengths and checksums are made anew, so that an event may
 * be edited by hand.
 * @throws JsonFault where it is none.
 */
function messageAt(place: FilePlace): Uint8Array {
  const members = membersOf(place);
  for (const [name, value] of members)
    if (!MEMBERS.has(name)) throw fault(value, localize("is not part of a message"));
  const payload = payloadAt(place, members);
  const event = members.get("event");
  const headers = members.get("headers");
  if (event !== undefined && headers !== undefined)
    throw fault(headers, localize('cannot be combined with "event"'));
  if (event === undefined && headers === undefined) {
    if (members.size === 1 && members.has("base64")) return payload;
    throw fault(place, 'needs "event" or "headers"');
  }
  try {
    return writeMessage({ headers: event ? usual(stringAt(event)) : headersAt(headers ?? place), payload });
  } catch (error) {
    if (error instanceof RangeError)
      throw fault(headers ?? place, localize("cannot be sent: {0}", error.message));
    throw error;
  }
}

function usual(type: string): EventHeader[] {
  const values = [type, ...EVENT_VALUES];
  return EVENT_HEADERS.map((name, index) => ({ name, value: values[index] ?? "" }));
}

function payloadAt(owner: FilePlace, members: ReadonlyMap<string, FilePlace>): Uint8Array {
  const [form, other] = ["data", "text", "base64"].flatMap((name) => members.get(name) ?? []);
  if (form === undefined) throw fault(owner, localize('needs one of "data", "text", and "base64"'));
  if (other !== undefined) throw fault(other, localize('cannot be combined with "{0}"', nameOf(form)));
  const stylePlace = members.get("style");
  const inside = members.get("inside");
  if (form === members.get("data")) {
    const { tree } = form;
    const style = stylePlace && jsonStyleFrom(plainAt(stylePlace));
    if (stylePlace && style === undefined) throw fault(stylePlace, localize("is not a style of JSON"));
    if (inside && stringAt(inside) !== INSIDE) throw fault(inside, localize('can only be "{0}"', INSIDE));
    return bytesOf(writeJson(inside ? withoutInside(tree) : tree, style));
  }
  const alone = stylePlace ?? inside;
  if (alone) throw fault(alone, localize('cannot be combined with "{0}"', nameOf(form)));
  if (form === members.get("text")) return bytesOf(stringAt(form));
  return bytesAt(form);
}

/** The bytes of a text in base64. @throws JsonFault where it is none. */
export function bytesAt(place: FilePlace): Uint8Array {
  const bytes = decodeBase64(stringAt(place));
  if (bytes === undefined) throw fault(place, localize("is not base64"));
  return bytes;
}

function headersAt(place: FilePlace): EventHeader[] {
  return [...membersOf(place)].map(([name, value]) => ({ name, value: headerAt(value) }));
}

function headerAt(place: FilePlace): HeaderValue {
  const plain = plainAt(place);
  if (typeof plain === "string" || typeof plain === "boolean") return plain;
  if (isJsonObject(place.tree)) {
    const [[type, value] = ["", place], ...more] = membersOf(place);
    const inner = plainAt(value);
    if (more.length === 0) {
      if (isNumeric(type) && typeof inner === "number") return { type, value: inner };
      if (isWorded(type) && typeof inner === "string") return { type, value: inner };
    }
  }
  throw fault(place, localize("is not a valid header value"));
}

function isNumeric(type: string): type is "byte" | "short" | "int" {
  return type === "byte" || type === "short" || type === "int";
}

function isWorded(type: string): type is "long" | "timestamp" | "bytes" | "uuid" {
  return type === "long" || type === "timestamp" || type === "bytes" || type === "uuid";
}
