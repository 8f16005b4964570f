import type { Recording } from "../cassette/recording.ts";
import { groupBy } from "../group-by.ts";
import { readMessages } from "../wire/event-stream-text.ts";
import { cutBody, framingOf, type Framing } from "../wire/framing.ts";
import { percentDecoded } from "../wire/percent.ts";
import { textOf } from "../wire/text.ts";
import { jsonStrings, type JsonString } from "./json-strings.ts";
import { longestOf, type Scan, type Secret } from "./scanner.ts";

/** A string of one event of a stream: strings at the same place are pieces of one text. */
export interface Piece extends JsonString {
  /** The index of the event. */
  readonly event: number;
  readonly place: string;
}

/** The ways in which pieces may belong together: as their indexes say, and by their names alone. */
export const GROUPINGS: readonly ((place: string) => string)[] = [
  (place) => place,
  (place) => place.replaceAll(/#\w+=[^/]*/g, "").replaceAll(/\/\d+(?=\/|$)/g, "/*"),
];

/** The events of a stream as texts; a message of an AWS event stream is its data, which cannot be written back. */
export function eventTexts(body: Uint8Array, framing: Framing | undefined): readonly string[] {
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  return cutBody(body, framing).map((piece) => textOf(piece));
}

/** The strings of all events that have one JSON value each. */
export function piecesOf(events: readonly string[], framing: Framing | undefined): readonly Piece[] {
  return events.flatMap((text, event) => {
    const { start: from, end: to } = jsonWithin(text, framing);
    return (jsonStrings(text.slice(from, to)) ?? []).flatMap(({ start, end, value, place }) =>
      place === undefined ? [] : [{ event, start: start + from, end: end + from, value, place }],
    );
  });
}

/** Where the JSON of an event is in its text: the value of its one data line, or all but the marks of an array. */
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

/**
 * A body as it is written, and the strings of its JSON without their escapes. In a stream the strings at the same place
 * of all events are joined: a secret may be split over them.
 */
export function textsOfBody(body: Uint8Array, framing?: Framing): readonly string[] {
  const pieces = piecesOf(eventTexts(body, framing), framing);
  const said =
    framing === undefined
      ? pieces.map(({ value }) => value)
      : GROUPINGS.flatMap((groupOf) =>
          groupBy(pieces, ({ place }) => groupOf(place)).map((group) =>
            group.map(({ value }) => value).join(""),
          ),
        );
  const raw = textOf(body);
  return said.length === 0 ? [raw] : [raw, [...new Set(said)].join("\n")];
}

/** A part of a recording, e.g. its "request body". */
export interface PlacedTexts {
  readonly place: string;
  readonly texts: readonly string[];
}

/** All that is to be written, or was, as texts to search. */
export function textsOfRecording(
  { request, reply, test }: Pick<Recording, "request" | "reply" | "test">,
  framing: Framing | undefined = framingOf(reply.contentType),
): readonly PlacedTexts[] {
  return [
    { place: "path", texts: escapable(request.path) },
    { place: "request headers", texts: (request.headers ?? []).flatMap(([, value]) => escapable(value)) },
    { place: "request body", texts: textsOfBody(request.body) },
    { place: "reply", texts: textsOfBody(reply.body, framing) },
    { place: "name of its test", texts: test === undefined ? [] : [[test.file, ...test.name].join("\n")] },
  ];
}

/** A path or a header, as it is and with its URL escapes undone. */
export const escapable = (text: string): readonly string[] =>
  text.includes("%") ? [text, percentDecoded(text)] : [text];

/** A secret of a recording, and the part that it is in. */
export interface PlacedSecret extends Secret {
  readonly place: string;
}

/** The secrets in these parts: each value once, in the first part that has it. */
export function placedSecrets(parts: readonly PlacedTexts[], scan: Scan): readonly PlacedSecret[] {
  const found = parts.flatMap(({ place, texts }) =>
    secretsIn(texts, scan).map((secret) => ({ ...secret, place })),
  );
  const first = new Map(found.toReversed().map((secret) => [secret.value, secret]));
  return [...first.values()].reverse();
}

export const secretsIn = (texts: readonly string[], scan: Scan): readonly Secret[] =>
  longestOf(texts.flatMap((text) => scan(text)));
