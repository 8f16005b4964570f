import type { Composed } from "./protocol.ts";
import type { Fields } from "./reading/lenient.ts";
import { bytesOf } from "../wire/text.ts";

export function composedJson(value: unknown, contentType = "application/json"): Composed {
  return { contentType, body: bytesOf(JSON.stringify(value)) };
}

/** A stream of the frames as they are given. */
export function composedFrames(frames: readonly string[]): Composed {
  return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
}

/** A stream of events, each under the name that its type is. */
export function composedEvents(events: readonly (Fields & { readonly type: string })[]): Composed {
  return composedFrames(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

/** A stream of chunks without names, and `[DONE]`. */
export function composedChunks(chunks: readonly object[]): Composed {
  const data = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  return composedFrames(data.map((one) => `data: ${one}\n\n`));
}

/** A stream of lines that are JSON. */
export function composedLines(values: readonly object[], contentType: string): Composed {
  return { contentType, body: bytesOf(values.map((value) => `${JSON.stringify(value)}\n`).join("")) };
}

/** A text by its lines, so that a stream of them can be read and edited; none for an empty text. */
export function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}
