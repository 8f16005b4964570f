import { isJsonFault, parseJson } from "../base/json/json-parse.ts";
import type { JsonStyle } from "../base/json/json-style.ts";
import { type JsonTree, detectStyle, writeJson } from "../base/json/json-tree.ts";
import { cutBody, type Framing } from "../base/wire/framing.ts";
import { utf8 } from "../base/wire/text.ts";
import { encodeBase64 } from "../base/base64.ts";

/** How a stream is written around its data. What is absent is the default: LF, a blank after the colon, plain JSON. */
export interface StreamStyle {
  readonly newline?: "\r\n" | "\r";
  readonly space?: false;
  readonly json?: JsonStyle;
}

/** One event as the file has it. `pad` counts blanks before the data's last bracket, by which Anthropic hides lengths. */
export type StoredEvent =
  | { readonly event?: string; readonly data: JsonTree; readonly pad?: number; readonly style?: JsonStyle }
  | { readonly event?: string; readonly text: string }
  | { readonly raw: string }
  | { readonly base64: string };

/** Reads a stream's body into events under the style that suits most of them. Writing them gives the same bytes. */
export function readStream(
  body: Uint8Array,
  framing: Framing,
): { events: StoredEvent[]; style: StreamStyle } {
  const sketches = cutBody(body, framing).map((frame) => sketch(frame, framing));
  const style = streamStyle(sketches);
  return { events: sketches.map((one) => storedEvent(one, framing, style)), style };
}

/** The text of one event on the wire; `base64` has none. */
export function eventText(
  stored: Exclude<StoredEvent, { base64: string }>,
  framing: Framing,
  style: StreamStyle,
): string {
  if ("raw" in stored) return stored.raw;
  const newline = style.newline ?? "\n";
  const payload = "text" in stored ? stored.text : dataText(stored, style);
  if (framing === "lines") return payload + newline;
  const colon = style.space === false ? ":" : ": ";
  const name = stored.event === undefined ? "" : `event${colon}${stored.event}${newline}`;
  return `${name}data${colon}${payload}${newline}${newline}`;
}

/** What can be told of a frame before the style of its stream is known. */
interface Sketch {
  readonly frame: Uint8Array;
  /** Undefined where it is not UTF-8. */
  readonly text?: string;
  /** Undefined unless it is one optional event line and one data line. */
  readonly parts?: Parts;
}

interface Parts {
  readonly event?: string;
  readonly payload: string;
  readonly newline: string;
  readonly space: boolean;
  readonly json?: { readonly tree: JsonTree; readonly text: string; readonly pad: number };
}

function sketch(frame: Uint8Array, framing: Framing): Sketch {
  const text = utf8(frame);
  if (text === undefined) return { frame };
  const parts = framing === "events" ? eventParts(text) : lineParts(text);
  if (parts === undefined) return { frame, text };
  const json = readPadded(parts.payload);
  return { frame, text, parts: json === undefined ? parts : { ...parts, json } };
}

const EVENT = /^(?:event:( ?)([^\r\n]*)(\r\n|\n|\r))?data:( ?)([^\r\n]*)(\r\n|\n|\r)\6$/;

function eventParts(text: string): Parts | undefined {
  const found = EVENT.exec(text);
  if (found === null) return undefined;
  const [, , event, , space, payload = "", newline = "\n"] = found;
  return { payload, newline, space: space === " ", ...(event !== undefined && { event }) };
}

function lineParts(text: string): Parts | undefined {
  const found = /^([^\r\n]*)(\r?\n)$/.exec(text);
  return found === null ? undefined : { payload: found[1] ?? "", newline: found[2] ?? "\n", space: true };
}

function readPadded(payload: string): Parts["json"] {
  let start = payload.length - 1;
  while (payload[start - 1] === " ") start -= 1;
  const pad = /[}\]]$/.test(payload) ? payload.length - 1 - start : 0;
  const text = pad === 0 ? payload : payload.slice(0, start) + payload.slice(-1);
  try {
    return { tree: parseJson(text), text, pad };
  } catch (error) {
    if (isJsonFault(error)) return undefined;
    throw error;
  }
}

function streamStyle(sketches: readonly Sketch[]): StreamStyle {
  const parts = sketches.flatMap((one) => one.parts ?? []);
  const json = jsonStyle(parts);
  const [first] = parts;
  return {
    ...((first?.newline === "\r\n" || first?.newline === "\r") && { newline: first.newline }),
    ...(first?.space === false && { space: false as const }),
    ...(Object.keys(json).length > 0 && { json }),
  };
}

/** Single events seldom show a serialiser's whole style; the one that gives most events is taken. */
const MOST_CANDIDATES = 8;

function jsonStyle(parts: readonly Parts[]): JsonStyle {
  const values = parts.flatMap(({ json }) => json ?? []);
  const count = (style: JsonStyle): number =>
    values.filter(({ tree, text }) => writeJson(tree, style) === text).length;
  let best: { style: JsonStyle; count: number } = { style: {}, count: count({}) };
  if (best.count === values.length) return best.style;
  const candidates = new Map<string, JsonStyle>();
  for (const { tree, text } of values) {
    const style = candidates.size < MOST_CANDIDATES ? detectStyle(text, tree) : undefined;
    if (style !== undefined) candidates.set(JSON.stringify(style), style);
  }
  for (const style of candidates.values()) {
    const candidate = { style, count: count(style) };
    if (candidate.count > best.count) best = candidate;
  }
  return best.style;
}

function storedEvent({ frame, text, parts }: Sketch, framing: Framing, style: StreamStyle): StoredEvent {
  if (text === undefined) return { base64: encodeBase64(frame) };
  const name = parts?.event === undefined ? {} : { event: parts.event };
  const candidates =
    parts === undefined ? [] : [...dataEvents(parts, style, name), { ...name, text: parts.payload }];
  return candidates.find((candidate) => eventText(candidate, framing, style) === text) ?? { raw: text };
}

function dataEvents({ json }: Parts, style: StreamStyle, name: { event?: string }) {
  if (json === undefined) return [];
  const { tree, text, pad } = json;
  const plain = { ...name, data: tree, ...(pad > 0 && { pad }) };
  if (writeJson(tree, style.json) === text) return [plain];
  const own = detectStyle(text, tree);
  return own === undefined ? [] : [{ ...plain, style: own }];
}

function dataText(stored: { data: JsonTree; pad?: number; style?: JsonStyle }, style: StreamStyle): string {
  const text = writeJson(stored.data, stored.style ?? style.json);
  return stored.pad === undefined ? text : text.slice(0, -1) + " ".repeat(stored.pad) + text.slice(-1);
}
