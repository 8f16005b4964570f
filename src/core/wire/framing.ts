import { cutAll, type Cutter } from "./cutter.ts";
import { createLineCutter } from "./ndjson.ts";
import { createFrameCutter } from "./sse.ts";

/** How a streamed body is divided: server-sent events, or one JSON value a line. */
export type Framing = "events" | "lines";

/**
 * Content types of streams. The one place that says so: recorder, replay, files and projections all ask here.
 * Sources: WHATWG HTML 9.2, github.com/ndjson/ndjson-spec, jsonlines.org; `x-jsonl` is what Anthropic's batches send.
 */
const FRAMINGS: ReadonlyMap<string, Framing> = new Map([
  ["text/event-stream", "events"],
  ["application/x-ndjson", "lines"],
  ["application/ndjson", "lines"],
  ["application/jsonl", "lines"],
  ["application/x-jsonl", "lines"],
]);

const CUTTERS: Readonly<Record<Framing, () => Cutter>> = {
  events: createFrameCutter,
  lines: createLineCutter,
};

/** How a body of this content type is framed, whatever its parameters; undefined where it is one piece. */
export function framingOf(contentType: string | undefined): Framing | undefined {
  return FRAMINGS.get(contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}

/** Cuts a body while it comes in. */
export function createCutterFor(framing: Framing): Cutter {
  return CUTTERS[framing]();
}

/** The events of a whole body, which join to it; a body without a framing is one event. */
export function cutBody(body: Uint8Array, framing: Framing | undefined): Uint8Array[] {
  return framing === undefined ? [body] : cutAll(createCutterFor(framing), body);
}
