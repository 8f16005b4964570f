import { localize } from "../base/localize.ts";
import { writeMessage, type EventHeader } from "../base/wire/event-stream.ts";
import { chooseFraming } from "../base/wire/framing.ts";
import { readJsonStyle, type JsonStyle } from "../base/json/json-style.ts";
import { writeJson } from "../base/json/json-tree.ts";
import { encodeUtf8, joinBytes } from "../base/wire/text.ts";
import { EVENT_HEADERS, EVENT_VALUES, INSIDE, withoutInside } from "./encode-messages.ts";
import { encodeEventText, type StoredEvent, type StreamStyle } from "./events.ts";
import {
  readElements,
  createFileFault,
  decodeBytes,
  decodeContent,
  findForm,
  readInteger,
  readMembers,
  formatFilePlace,
  readOptional,
  readPlain,
  requireMember,
  readString,
  type FilePlace,
} from "./file-reader.ts";

/** The bytes of a stream, from its events in a file. @throws JsonFault where they are none. */
export function decodeEvents(
  place: FilePlace,
  stylePlace: FilePlace | undefined,
  contentType: string | undefined,
): Uint8Array {
  const framing = chooseFraming(contentType) ?? "events";
  if (framing === "messages") {
    if (stylePlace) throw createFileFault(stylePlace, localize("cannot be combined with messages"));
    return joinBytes(readElements(place).map(messageAt));
  }
  const style = stylePlace ? streamStyleAt(stylePlace) : {};
  const pieces: Uint8Array[] = [];
  let text = "";
  for (const element of readElements(place)) {
    const stored = eventAt(element);
    if (!("base64" in stored)) {
      text += encodeEventText(stored, framing, style);
      continue;
    }
    const base64 = readMembers(element).get("base64") ?? element;
    pieces.push(encodeUtf8(text), decodeBytes(base64));
    text = "";
  }
  return joinBytes([...pieces, encodeUtf8(text)]);
}

const EVENT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  data: ["event", "data", "pad", "style"],
  text: ["event", "text"],
  raw: ["raw"],
  base64: ["base64"],
};

function eventAt(place: FilePlace): StoredEvent {
  const members = readMembers(place);
  const form = Object.keys(EVENT_MEMBERS).find((name) => members.has(name));
  if (form === undefined)
    throw createFileFault(place, localize('needs one of "data", "text", "raw", and "base64"'));
  for (const [name, value] of members) {
    // An event is the wire itself: a member that is not understood cannot be passed over.
    if (EVENT_MEMBERS[form]?.includes(name) !== true)
      throw createFileFault(value, localize('cannot be combined with "{0}"', form));
  }
  const content = requireMember(place, members, form);
  if (form === "raw") return { raw: readString(content) };
  if (form === "base64") return { base64: "" };
  const name = readOptional(members, { event: readString });
  if (form === "text") return { ...name, text: readString(content) };
  const more = readOptional(members, { pad: (pad) => readInteger(pad, 1), style: decodeJsonStyle });
  return { ...name, data: content.tree, ...more };
}

function streamStyleAt(place: FilePlace): StreamStyle {
  const members = readMembers(place);
  const style: { newline?: "\r\n" | "\r"; space?: false; json?: JsonStyle } = {};
  for (const [name, value] of members) {
    const plain = readPlain(value);
    if (name === "newline" && (plain === "\r\n" || plain === "\r")) style.newline = plain;
    else if (name === "space" && plain === false) style.space = false;
    else if (name === "json") style.json = decodeJsonStyle(value);
    else throw createFileFault(value, localize("is not part of a stream's style"));
  }
  return style;
}

export function decodeJsonStyle(place: FilePlace): JsonStyle {
  const style = readJsonStyle(readPlain(place));
  if (style === undefined) throw createFileFault(place, localize("is not a style of JSON"));
  return style;
}

const MEMBERS = new Set(["event", "headers", "data", "text", "base64", "inside", "style"]);

/**
 * A message of an AWS event stream from its event in a file. Lengths and checksums are made anew, so that an event may
 * be edited by hand.
 * @throws JsonFault where it is none.
 */
function messageAt(place: FilePlace): Uint8Array {
  const members = readMembers(place);
  for (const [name, value] of members)
    if (!MEMBERS.has(name)) throw createFileFault(value, localize("is not part of a message"));
  const payload = payloadAt(place, members);
  const event = members.get("event");
  const headers = members.get("headers");
  if (event !== undefined && headers !== undefined)
    throw createFileFault(headers, localize('cannot be combined with "event"'));
  if (event === undefined && headers === undefined) {
    if (members.size === 1 && members.has("base64")) return payload;
    throw createFileFault(place, 'needs "event" or "headers"');
  }
  try {
    return writeMessage({ headers: event ? usual(readString(event)) : headersAt(headers ?? place), payload });
  } catch (error) {
    if (error instanceof RangeError)
      throw createFileFault(headers ?? place, localize("cannot be sent: {0}", error.message));
    throw error;
  }
}

function usual(type: string): EventHeader[] {
  const values = [type, ...EVENT_VALUES];
  return EVENT_HEADERS.map((name, index) => ({ name, value: values[index] ?? "" }));
}

function payloadAt(owner: FilePlace, members: ReadonlyMap<string, FilePlace>): Uint8Array {
  const form = findForm(members, ["data", "text", "base64"]);
  if (form === undefined) throw createFileFault(owner, localize('needs one of "data", "text", and "base64"'));
  const stylePlace = members.get("style");
  const inside = members.get("inside");
  if (form.step === "data") {
    const { tree } = form;
    const style = stylePlace && decodeJsonStyle(stylePlace);
    if (inside && readString(inside) !== INSIDE)
      throw createFileFault(inside, localize('can only be "{0}"', INSIDE));
    return encodeUtf8(writeJson(inside ? withoutInside(tree) : tree, style));
  }
  const alone = stylePlace ?? inside;
  if (alone) throw createFileFault(alone, localize('cannot be combined with "{0}"', formatFilePlace(form)));
  return decodeContent(form);
}

function headersAt(place: FilePlace): EventHeader[] {
  return [...readMembers(place)].map(([name, value]) => ({ name, value: readString(value) }));
}
