import type { Recording } from "../cassette/recording.ts";
import { groupBy } from "../base/group-by.ts";
import { readMessages } from "../base/wire/event-stream-text.ts";
import { cutBody, framingOf, type Framing } from "../base/wire/framing.ts";
import { percentDecoded, textOf } from "../base/wire/text.ts";
import type { Scan, Secret } from "./scanner.ts";
import { jsonIn } from "../base/lenient.ts";

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

/** A string without escapes is in its body as it is. */
const hasEscapes = ({ start, end, value }: Piece): boolean => end - start - 2 !== value.length;

/**
 * A body as it is written, and the strings of its JSON that have escapes, without these. In a stream the strings at the
 * same place of all events are joined: a secret may be split over them.
 */
export function textsOfBody(body: Uint8Array, framing?: Framing): readonly string[] {
  const pieces = piecesOf(eventTexts(body, framing), framing);
  const said =
    framing === undefined
      ? pieces.filter(hasEscapes).map(({ value }) => value)
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

/** Returns everything that a recording's file holds, as texts to search. */
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
  return onceEach(
    parts.flatMap(({ place, texts }) => secretsIn(texts, scan).map((secret) => ({ ...secret, place }))),
  );
}

/** The first secret with each value, in order. */
export function onceEach<T extends Secret>(found: readonly T[]): readonly T[] {
  const first = new Map(found.toReversed().map((secret) => [secret.value, secret]));
  return [...first.values()].reverse();
}

export const secretsIn = (texts: readonly string[], scan: Scan): readonly Secret[] =>
  longestOf(texts.flatMap((text) => scan(text)));

/** A string within a text of JSON: where its quotes are (`end` is behind the second), and its value without escapes. */
export interface JsonString {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /**
   * Names and indexes on the way to it; undefined for the name of a member. An object's own `index` and the like are
   * part of it, since they tell the pieces of a stream apart.
   */
  readonly place: string | undefined;
}

/** An object or array on the way to a string. */
interface Container {
  readonly parent: Container | undefined;
  /** Its own name or index in its parent. */
  readonly name: string;
  readonly isArray: boolean;
  /** Identifies the part of an answer whose chunks are interleaved: `index`, `output_index`, `content_index`. */
  indexes: string;
  /** The number of commas so far. */
  count: number;
  /** The member that is read, once its name is. */
  member: string | undefined;
  place?: string;
}

/** All strings of an object or array in JSON, in order; undefined for any other text. */
export function jsonStrings(json: string): readonly JsonString[] | undefined {
  if (!/^\s*[[{]/.test(json) || jsonIn(json) === undefined) return undefined;
  const found: { start: number; end: number; within: Container | undefined; name: string | undefined }[] = [];
  let within: Container | undefined;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charAt(at);
    if (char !== '"') {
      within = enter(json, at, within);
      continue;
    }
    const end = endOfString(json, at + 1);
    const isName = within?.isArray === false && within.member === undefined;
    found.push({ start: at, end, within, name: isName ? undefined : (within?.member ?? `${within?.count}`) });
    if (isName && within !== undefined) within.member = valueOf(json, at, end);
    at = end - 1;
  }
  // An index may be behind the strings of its object: places are known at the end.
  return found.map(({ start, end, within: container, name }) => ({
    start,
    end,
    value: valueOf(json, start, end),
    place: name === undefined || container === undefined ? undefined : `${placeOf(container)}/${name}`,
  }));
}

/** The container that a text is in once this character is read. */
function enter(json: string, at: number, within: Container | undefined): Container | undefined {
  const char = json.charAt(at);
  if (char === "[" || char === "{") {
    const name = within === undefined ? "" : `/${within.member ?? within.count}`;
    return { parent: within, name, isArray: char === "[", indexes: "", count: 0, member: undefined };
  }
  if (within === undefined) return undefined;
  if (char === "]" || char === "}") return within.parent;
  if (char === ",") {
    within.count += 1;
    within.member = undefined;
  } else if (char === ":" && within.member !== undefined && /(?:^|_)index$/.test(within.member)) {
    const number = /^\s{0,9}(-?\d{1,20})/.exec(json.slice(at + 1, at + 32))?.[1];
    if (number !== undefined) within.indexes += `#${within.member}=${number}`;
  }
  return within;
}

function placeOf(container: Container): string {
  const { parent, name, indexes } = container;
  return (container.place ??= `${parent === undefined ? "" : placeOf(parent)}${name}${indexes}`);
}

function valueOf(json: string, start: number, end: number): string {
  const written = json.slice(start + 1, end - 1);
  return written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written;
}

/** Behind the quote that ends a string: the first one after an even number of backslashes. */
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from); ; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json.charAt(before - 1) === "\\" && before > from) before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
}

/** Beyond this number of secrets, all are given. */
const MOST_COMPARED = 1_000;

/** Each value once, and of a value that is a part of another one only the longer one. */
export function longestOf(found: readonly Secret[]): readonly Secret[] {
  const secrets = onceEach(found);
  if (secrets.length < 2 || secrets.length > MOST_COMPARED) return secrets;
  return secrets.filter(
    ({ value }) => !secrets.some((one) => one.value !== value && one.value.includes(value)),
  );
}
