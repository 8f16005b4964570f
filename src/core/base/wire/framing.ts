import { createLineCutter, cutAll, type Cutter } from "./cutter.ts";
import { createMessageCutter } from "./event-stream.ts";
import { findMessageFault, writeMessageFrame } from "./event-stream-text.ts";
import { createArrayCutter } from "./json-array.ts";
import { createFrameCutter, listFrames } from "./sse.ts";
import { decodeText } from "./text.ts";

/**
 * The framing of a streamed body: server-sent events, one JSON value per line, messages of an AWS event stream, or the
 * objects of one JSON array. No content type declares an array; the protocol defines it.
 */
export type Framing = "events" | "lines" | "messages" | "array";

/**
 * Framings by content type, for recorder, replay, files, and projections.
 * Sources: WHATWG HTML 9.2, github.com/ndjson/ndjson-spec, jsonlines.org; `x-jsonl` is what Anthropic's batches send,
 * `stream+json` Cohere's first version;
 * the AWS one is named at smithy.io/2.0/aws/amazon-eventstream.html.
 */
const FRAMINGS: ReadonlyMap<string, Framing> = new Map([
  ["text/event-stream", "events"],
  ["application/x-ndjson", "lines"],
  ["application/ndjson", "lines"],
  ["application/jsonl", "lines"],
  ["application/x-jsonl", "lines"],
  ["application/stream+json", "lines"],
  ["application/vnd.amazon.eventstream", "messages"],
  // Sessions of WebSockets, in recordings only.
  ["application/vnd.tapedeck.session", "events"],
]);

const CUTTERS: Readonly<Record<Framing, () => Cutter>> = {
  events: createFrameCutter,
  lines: createLineCutter,
  messages: createMessageCutter,
  array: createArrayCutter,
};

/** Returns the framing for a content type with any parameters; undefined if the body is not a stream. */
export function chooseFraming(contentType: string | undefined): Framing | undefined {
  return FRAMINGS.get(contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}

/** Makes a cutter for a framing. */
export const createCutterFor = (framing: Framing): Cutter => CUTTERS[framing]();

/** Splits a complete body into events; a body without a framing is one event. */
export function cutBody(body: Uint8Array, framing: Framing | undefined): Uint8Array[] {
  return framing === undefined ? [body] : cutAll(createCutterFor(framing), body);
}

/** Splits a complete body, which must not change, into events as texts. Invalid bytes are replaced. */
export const listPieces = (body: Uint8Array, framing: Framing | undefined): readonly string[] =>
  framing === "events" ? listFrames(body) : cutBody(body, framing).map(decodeText);

/** Returns a piece as text for rules about streams; a binary message is formatted as a server-sent event. */
export function writePieceText(piece: Uint8Array, framing: Framing): string {
  return framing === "messages" ? writeMessageFrame(piece) : decodeText(piece);
}

/** Returns the reason why a piece is invalid in its framing; only binary messages can be checked. */
export function findPieceFault(piece: Uint8Array, framing: Framing): string | undefined {
  return framing === "messages" ? findMessageFault(piece) : undefined;
}
