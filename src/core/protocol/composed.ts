import { bytesOf } from "../wire/text.ts";

/** A reply made from a draft, as `Protocol.compose` gives it. */
export interface Composed {
  readonly contentType: string;
  readonly body: Uint8Array;
}

export function composedJson(value: unknown, contentType = "application/json"): Composed {
  return { contentType, body: bytesOf(JSON.stringify(value)) };
}

/** A stream of the frames as they are given. */
export function composedFrames(frames: readonly string[]): Composed {
  return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
}

/** A text by its lines, so that a stream of them can be read and edited; none for an empty text. */
export function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}
