import { createLineCutter, cutAll, type Cutter } from "./cutter.ts";
import { createMessageCutter } from "./event-stream.ts";
import { messageFault, messageFrame } from "./event-stream-text.ts";
import { createArrayCutter } from "./json-array.ts";
import { createFrameCutter } from "./sse.ts";
import { textOf } from "./text.ts";

/**
 * How a streamed body is divided: server-sent events, one JSON value a line, messages of an AWS event stream, or the
 * objects of one JSON array. No content type tells the last: a protocol says so.
 */
export type Framing = "events" | "lines" | "messages" | "array";

/**
 * Content types of streams. The one place that says so: recorder, replay, files and projections all ask here.
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
]);

const CUTTERS: Readonly<Record<Framing, () => Cutter>> = {
  events: createFrameCutter,
  lines: createLineCutter,
  messages: createMessageCutter,
  array: createArrayCutter,
};

/** How a body of this content type is framed, whatever its parameters; undefined where it is one piece. */
export function framingOf(contentType: string | undefined): Framing | undefined {
  return FRAMINGS.get(contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}

/** Cuts a body while it comes in. */
export const createCutterFor = (framing: Framing): Cutter => CUTTERS[framing]();

/** The events of a whole body, which join to it; a body without a framing is one event. */
export function cutBody(body: Uint8Array, framing: Framing | undefined): Uint8Array[] {
  return framing === undefined ? [body] : cutAll(createCutterFor(framing), body);
}

/** A piece as rules about streams read it: its text, or for a binary one the words of a server-sent event. */
export function pieceText(piece: Uint8Array, framing: Framing): string {
  return framing === "messages" ? messageFrame(piece) : textOf(piece);
}

/** Why a piece is not one of its framing, where that can be told. */
export function pieceFault(piece: Uint8Array, framing: Framing): string | undefined {
  return framing === "messages" ? messageFault(piece) : undefined;
}
