import { jsonStyleFrom, type JsonStyle } from "../json/json-style.ts";
import { isHeaderValue } from "../wire/content-type.ts";
import { writeJson } from "../json/json-write.ts";
import { bytesOf, joinBytes } from "../wire/text.ts";
import type { BlobReader } from "./blobs.ts";
import { bytesAt, messageAt } from "./decode-messages.ts";
import { framingOf, type Framing } from "../wire/framing.ts";
import { eventText, type StoredEvent, type StreamStyle } from "./events.ts";
import {
  elementsOf,
  fault,
  integerAt,
  membersOf,
  optional,
  numberAt,
  plainAt,
  requireMember,
  nameOf,
  stringAt,
  type Place,
} from "./file-reader.ts";
import type { WireHeaders } from "../call.ts";
import type { RecordedReply } from "./recording.ts";

/** Reads the reply of a file back to its bytes. @throws JsonFault where it is not one. */
export function replyAt(place: Place, blobs: BlobReader): RecordedReply {
  const members = membersOf(place);
  const status = requireMember(place, members, "status");
  if (integerAt(status, 200) > 599) throw fault(status, "must be an HTTP status from 200 to 599");
  const head = optional(members, {
    contentType: headerValueAt,
    headers: (headers) => headersAt(headers, NOT_KEPT),
  });
  const body = bodyAt(place, members, { framing: framingOf(head.contentType) ?? "events", blobs });
  const timing = optional(members, {
    waitsMs: (waits) => elementsOf(waits).map((wait) => numberAt(wait, 0)),
  });
  return { status: integerAt(status, 200), ...head, body, ...timing };
}

/** Headers of a request, or of a reply without those that none keeps. */
export function headersAt(place: Place, notKept?: RegExp): WireHeaders {
  return [...membersOf(place)].map(([name, value]) => {
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw fault(value, "has a name that no header can have");
    if (notKept?.test(name) === true) throw fault(value, "is no header that a recording can have");
    return [name, headerValueAt(value)];
  });
}

/** They are the server's own, or say who a client is. */
const NOT_KEPT =
  /^(?:content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date|set-cookie|x-tapedeck-.*)$/;

/** What could stand in no header could not be sent either. */
function headerValueAt(place: Place): string {
  const value = stringAt(place);
  if (isHeaderValue(value)) return value;
  throw fault(place, "must be one line of characters up to U+00FF, as a header's value is");
}

interface Context {
  readonly framing: Framing;
  readonly blobs: BlobReader;
}

function bodyAt(owner: Place, members: ReadonlyMap<string, Place>, context: Context): Uint8Array {
  const [form, other] = ["body", "events", "text", "base64"].flatMap((name) => members.get(name) ?? []);
  const style = members.get("style");
  if (form === undefined) throw fault(owner, 'needs one of "body", "events", "text" and "base64"');
  if (other !== undefined) throw fault(other, `cannot stand beside "${nameOf(form)}"`);
  if (form === members.get("events")) return eventsAt(form, style, context);
  if (form === members.get("body")) {
    const tree = context.blobs.tree("/reply/body", form.tree);
    return bytesOf(writeJson(tree, style && jsonStyleAt(style)));
  }
  if (form === members.get("text")) return bytesOf(context.blobs.string("/reply/text", stringAt(form)));
  return bytesAt(form, "/reply/base64", context.blobs);
}

function eventsAt(place: Place, stylePlace: Place | undefined, { framing, blobs }: Context): Uint8Array {
  if (framing === "messages") {
    if (stylePlace) throw fault(stylePlace, "cannot stand beside messages");
    const pieces = elementsOf(place).map((element, index) =>
      messageAt(element, `/reply/events/${index}`, blobs),
    );
    return joinBytes(pieces);
  }
  const style = stylePlace ? streamStyleAt(stylePlace) : {};
  const pieces: Uint8Array[] = [];
  let text = "";
  for (const [index, element] of elementsOf(place).entries()) {
    const pointer = `/reply/events/${index}`;
    const stored = eventAt(element, pointer, blobs);
    if (!("base64" in stored)) {
      text += eventText(stored, framing, style);
      continue;
    }
    const base64 = membersOf(element).get("base64") ?? element;
    pieces.push(bytesOf(text), bytesAt(base64, `${pointer}/base64`, blobs));
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

function eventAt(place: Place, pointer: string, blobs: BlobReader): StoredEvent {
  const members = membersOf(place);
  const form = Object.keys(EVENT_MEMBERS).find((name) => members.has(name));
  if (form === undefined) throw fault(place, 'needs one of "data", "text", "raw" and "base64"');
  for (const [name, value] of members) {
    // An event is the wire itself: a member that is not understood cannot be passed over.
    if (EVENT_MEMBERS[form]?.includes(name) !== true) throw fault(value, `cannot stand beside "${form}"`);
  }
  const content = requireMember(place, members, form);
  if (form === "raw") return { raw: blobs.string(`${pointer}/raw`, stringAt(content)) };
  if (form === "base64") return { base64: "" };
  const name = optional(members, { event: stringAt });
  if (form === "text") return { ...name, text: blobs.string(`${pointer}/text`, stringAt(content)) };
  const more = optional(members, { pad: (pad) => integerAt(pad, 1), style: jsonStyleAt });
  return { ...name, data: blobs.tree(`${pointer}/data`, content.tree), ...more };
}

function streamStyleAt(place: Place): StreamStyle {
  const members = membersOf(place);
  const style: { newline?: "\r\n" | "\r"; space?: false; json?: JsonStyle } = {};
  for (const [name, value] of members) {
    const plain = plainAt(value);
    if (name === "newline" && (plain === "\r\n" || plain === "\r")) style.newline = plain;
    else if (name === "space" && plain === false) style.space = false;
    else if (name === "json") style.json = jsonStyleAt(value);
    else throw fault(value, "is not part of a stream's style");
  }
  return style;
}

function jsonStyleAt(place: Place): JsonStyle {
  const style = jsonStyleFrom(plainAt(place));
  if (style === undefined) throw fault(place, "is not a style of JSON");
  return style;
}
