import { tryParseJson } from "../base/json/json-parse.ts";
import type { JsonStyle } from "../base/json/json-style.ts";
import { type JsonTree, detectStyle, isPlainJson, writeJson } from "../base/json/json-tree.ts";
import { cutBody, listPieces, type Framing } from "../base/wire/framing.ts";
import { decodeUtf8 } from "../base/wire/text.ts";
import { encodeBase64 } from "../base/base64.ts";

/** The format of a stream around its data. Defaults for absent members: LF, a blank after the colon, plain JSON. */
export interface StreamStyle {
  readonly newline?: "\r\n" | "\r";
  readonly space?: false;
  readonly json?: JsonStyle;
}

/**
 * One event as the file has it. `json` is data as its text, which JSON.stringify writes exactly so. `pad` counts blanks
 * before the data's last bracket, by which Anthropic hides lengths.
 */
export type StoredEvent =
  | { readonly event?: string; readonly json: string }
  | { readonly event?: string; readonly data: JsonTree; readonly pad?: number; readonly style?: JsonStyle }
  | { readonly event?: string; readonly text: string }
  | { readonly raw: string }
  | { readonly base64: string };

/** Reads a stream's body into events under the style that suits most of them. Writing them gives the same bytes. */
export function readStream(
  body: Uint8Array,
  framing: Framing,
): { events: StoredEvent[]; style: StreamStyle } {
  const isText = decodeUtf8(body) !== undefined;
  const sketches = isText
    ? listPieces(body, framing).map((text) => sketch(text, framing))
    : cutBody(body, framing).map((frame) => sketchFrame(frame, framing));
  const style = streamStyle(sketches);
  return { events: sketches.map((one) => storedEvent(one, framing, style)), style };
}

/** The text of one event on the wire; `base64` has none. */
export function encodeEventText(
  stored: Exclude<StoredEvent, { base64: string }>,
  framing: Framing,
  style: StreamStyle,
): string {
  if ("raw" in stored) return stored.raw;
  const newline = style.newline ?? "\n";
  const payload = payloadText(stored, style);
  if (framing === "lines") return payload + newline;
  const colon = style.space === false ? ":" : ": ";
  const name = stored.event === undefined ? "" : `event${colon}${stored.event}${newline}`;
  return `${name}data${colon}${payload}${newline}${newline}`;
}

function payloadText(
  stored: Exclude<StoredEvent, { base64: string } | { raw: string }>,
  style: StreamStyle,
): string {
  if ("json" in stored) return stored.json;
  if ("text" in stored) return stored.text;
  const text = writeJson(stored.data, stored.style ?? style.json);
  return stored.pad === undefined ? text : text.slice(0, -1) + " ".repeat(stored.pad) + text.slice(-1);
}

/** Properties of a frame that do not depend on the style of its stream; a frame that is not UTF-8 has none. */
type Sketch = TextSketch | { readonly frame: Uint8Array };

interface TextSketch {
  readonly text: string;
  /** Undefined unless it is one optional event line and one data line. */
  readonly parts?: Parts;
}

interface Parts {
  readonly event?: string;
  readonly payload: string;
  readonly newline: string;
  readonly space: boolean;
  /** Whether JSON.stringify writes the payload exactly so, as most providers do: no tree of it is needed then. */
  readonly isPlain: boolean;
}

function sketchFrame(frame: Uint8Array, framing: Framing): Sketch {
  const text = decodeUtf8(frame);
  return text === undefined ? { frame } : sketch(text, framing);
}

function sketch(text: string, framing: Framing): TextSketch {
  const parts = framing === "events" ? eventParts(text) : lineParts(text);
  return parts === undefined ? { text } : { text, parts };
}

const EVENT = /^(?:event:( ?)([^\r\n]*)(\r\n|\n|\r))?data:( ?)([^\r\n]*)(\r\n|\n|\r)\6$/;

function eventParts(text: string): Parts | undefined {
  const found = EVENT.exec(text);
  if (found === null) return undefined;
  const [, , event, , space, payload = "", newline = "\n"] = found;
  const isPlain = isKeptPlain(payload);
  return { payload, newline, space: space === " ", isPlain, ...(event !== undefined && { event }) };
}

function lineParts(text: string): Parts | undefined {
  const found = /^([^\r\n]*)(\r?\n)$/.exec(text);
  if (found === null) return undefined;
  const [, payload = "", newline = "\n"] = found;
  return { payload, newline, space: true, isPlain: isKeptPlain(payload) };
}

/** In characters. A shorter text is not nested too deeply to be read again, and holds nothing that becomes a blob. */
const LONGEST_KEPT = 2_048;

const isKeptPlain = (payload: string): boolean => payload.length <= LONGEST_KEPT && isPlainJson(payload);

interface PaddedJson {
  readonly tree: JsonTree;
  readonly text: string;
  readonly pad: number;
}

function readPadded(payload: string): PaddedJson | undefined {
  let start = payload.length - 1;
  while (payload[start - 1] === " ") start -= 1;
  const pad = /[}\]]$/.test(payload) ? payload.length - 1 - start : 0;
  const text = pad === 0 ? payload : payload.slice(0, start) + payload.slice(-1);
  const tree = tryParseJson(text);
  return tree === undefined ? undefined : { tree, text, pad };
}

function streamStyle(sketches: readonly Sketch[]): StreamStyle {
  const parts = sketches.flatMap((one) => ("parts" in one ? one.parts : []));
  const json = jsonStyle(parts);
  const [first] = parts;
  return {
    ...((first?.newline === "\r\n" || first?.newline === "\r") && { newline: first.newline }),
    ...(first?.space === false && { space: false as const }),
    ...(Object.keys(json).length > 0 && { json }),
  };
}

/** Single events seldom show a serializer's whole style; the one that gives most events is taken. */
const MOST_CANDIDATES = 8;

function jsonStyle(parts: readonly Parts[]): JsonStyle {
  const read = ({ payload }: Parts): PaddedJson | readonly never[] => readPadded(payload) ?? [];
  const plain = parts.filter(({ isPlain }) => isPlain);
  const others = parts.filter(({ isPlain }) => !isPlain).flatMap(read);
  const countOf = (values: readonly PaddedJson[], style: JsonStyle): number =>
    values.filter(({ tree, text }) => writeJson(tree, style) === text).length;
  const plainCount = countOf(others, {});
  if (plainCount === others.length) return {};
  const values = parts.flatMap(read);
  let best: { style: JsonStyle; count: number } = { style: {}, count: plain.length + plainCount };
  const candidates = new Map<string, JsonStyle>();
  for (const { tree, text } of values) {
    const style = candidates.size < MOST_CANDIDATES ? detectStyle(text, tree) : undefined;
    if (style !== undefined) candidates.set(JSON.stringify(style), style);
  }
  for (const style of candidates.values()) {
    const candidate = { style, count: countOf(values, style) };
    if (candidate.count > best.count) best = candidate;
  }
  return best.style;
}

function storedEvent(sketched: Sketch, framing: Framing, style: StreamStyle): StoredEvent {
  if ("frame" in sketched) return { base64: encodeBase64(sketched.frame) };
  const { text, parts } = sketched;
  if (parts === undefined) return { raw: text };
  const name = parts.event === undefined ? {} : { event: parts.event };
  const isWhole = (candidate: Exclude<StoredEvent, { base64: string }>): boolean =>
    encodeEventText(candidate, framing, style) === text;
  if (parts.isPlain && style.json === undefined) {
    const plain = { ...name, json: parts.payload };
    return isWhole(plain) ? plain : { raw: text };
  }
  const candidates = [...dataEvents(parts, style, name), { ...name, text: parts.payload }];
  return candidates.find(isWhole) ?? { raw: text };
}

function dataEvents(
  { payload }: Parts,
  style: StreamStyle,
  name: { readonly event?: string },
): readonly Exclude<StoredEvent, { base64: string }>[] {
  const read = readPadded(payload);
  if (read === undefined) return [];
  const { tree, text, pad } = read;
  const plain = { ...name, data: tree, ...(pad > 0 && { pad }) };
  if (writeJson(tree, style.json) === text) return [plain];
  const own = detectStyle(text, tree);
  return own === undefined ? [] : [{ ...plain, style: own }];
}
