import type { Steps } from "../steps.ts";
import { readMessages } from "../wire/event-stream-text.ts";
import { cutBody, type Framing } from "../wire/framing.ts";
import { textOf } from "../wire/text.ts";
import { placedLiterals } from "./placed-literals.ts";

/** A string of one event of a stream: pieces at the same place belong together. */
export interface StreamPart {
  /** Which event, from 0. */
  readonly event: number;
  /** Where in the event's text its quotes stand. */
  readonly start: number;
  readonly end: number;
  readonly value: string;
  readonly place: string;
}

/** The events of a stream as texts; an event of an AWS event stream is its data, which cannot be written back. */
export function eventTexts(body: Uint8Array, framing: Framing | undefined): readonly string[] {
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  return cutBody(body, framing).map((piece) => textOf(piece));
}

/** The strings of all events that hold one JSON value each. */
export function* partsIn(
  events: readonly string[],
  framing: Framing | undefined,
): Steps<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  let size = 0;
  for (const [event, text] of events.entries()) {
    const { start, end } = jsonWithin(text, framing);
    for (const literal of yield* placedLiterals(text.slice(start, end)))
      parts.push({
        event,
        start: literal.start + start,
        end: literal.end + start,
        value: literal.value,
        place: literal.place,
      });
    size += text.length;
    if (size < STEP) continue;
    size = 0;
    yield;
  }
  return parts;
}

/** So much is read before others have their turn. */
const STEP = 65_536;

/** The ways in which pieces may belong together: as their indexes say, by their names, and across arrays. */
export const GROUPINGS: readonly ((place: string) => string)[] = [
  (place) => place,
  (place) => place.replaceAll(/#\w+=[^/]*/g, ""),
  (place) => place.replaceAll(/#\w+=[^/]*/g, "").replaceAll(/\/\d+(?=\/|$)/g, "/*"),
];

/** Where the JSON of an event stands in its text: the value of its one data line, or all but marks of an array. */
function jsonWithin(text: string, framing: Framing | undefined): { start: number; end: number } {
  if (framing === "events") {
    const lines = [...text.matchAll(/^data:[ ]?([^\r\n]*)/gm)];
    const [line] = lines;
    if (line === undefined || lines.length > 1) return { start: 0, end: 0 };
    const end = line.index + line[0].length;
    return { start: end - (line[1]?.length ?? 0), end };
  }
  if (framing !== "array") return { start: 0, end: text.length };
  const start = text.indexOf("{");
  return start < 0 ? { start: 0, end: 0 } : { start, end: text.lastIndexOf("}") + 1 };
}
