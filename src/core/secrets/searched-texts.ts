import { localize } from "../base/localize.ts";
import type { Recording } from "../cassette/recording.ts";
import { readMessages } from "../base/wire/event-stream-text.ts";
import { cutBody, chooseFraming, type Framing } from "../base/wire/framing.ts";
import { decodePercent, decodeText } from "../base/wire/text.ts";
import type { Scan, Secret } from "./scanner.ts";
import { tryParsePlainJson } from "../base/lenient.ts";

/** The events of a stream as texts; a message of an AWS event stream is its data, which cannot be written back. */
export function listEventTexts(body: Uint8Array, framing: Framing | undefined): readonly string[] {
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  return cutBody(body, framing).map((piece) => decodeText(piece));
}

const DATA_LINE = /^data:[ ]?([^\r\n]*)/m;

/** Where the JSON of an event is in its text: the value of its one data line, or all but the marks of an array. */
export function findJsonWithin(text: string, framing: Framing | undefined): { start: number; end: number } {
  if (framing === "events") {
    const line = DATA_LINE.exec(text);
    const end = line === null ? 0 : line.index + line[0].length;
    if (line === null || DATA_LINE.test(text.slice(end))) return { start: 0, end: 0 };
    return { start: end - (line[1]?.length ?? 0), end };
  }
  if (framing !== "array") return { start: 0, end: text.length };
  const start = text.indexOf("{");
  return start < 0 ? { start: 0, end: 0 } : { start, end: text.lastIndexOf("}") + 1 };
}

/**
 * A body as it is written, and the strings of its JSON that have escapes, without these. In a stream the strings at the
 * same place of all events are joined: a secret may be split over them.
 */
export function listTextsOfBody(body: Uint8Array, framing?: Framing): readonly string[] {
  const raw = decodeText(body);
  const more =
    framing === undefined ? escapedStrings(raw) : joinedStrings(listEventTexts(body, framing), framing);
  return more.length === 0 ? [raw] : [raw, [...new Set(more)].join("\n")];
}

/** The strings of a JSON text that have escapes, without these; the others are in the text as they are. */
function escapedStrings(text: string): readonly string[] {
  if (!text.includes("\\") || !/^\s*[[{]/.test(text)) return [];
  const found: string[] = [];
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    const written = text.slice(start, end);
    const value = written.includes("\\") ? tryParsePlainJson(written) : undefined;
    if (typeof value === "string") found.push(value);
    start = text.indexOf('"', end);
  }
  return found;
}

/** Behind the quote that ends the string that begins at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charAt(before - 1) === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return text.length;
}

/** The strings at one place of all events. */
interface StringsAtPlace {
  readonly values: string[];
  /** Whether all of them are the same, as ids and models are: nothing is split over these. */
  isConstant: boolean;
}

/** The strings of all events by place: their names with the indexes that tell interleaved parts apart, and the names alone. */
function joinedStrings(events: readonly string[], framing: Framing): readonly string[] {
  const byPlace = new Map<string, StringsAtPlace>();
  const add = (place: string, value: string): void => {
    const strings = byPlace.get(place);
    if (strings === undefined) byPlace.set(place, { values: [value], isConstant: true });
    else {
      strings.isConstant &&= strings.values[0] === value;
      strings.values.push(value);
    }
  };
  const names = new Map<string, string>();
  for (const text of events) {
    const { start, end } = findJsonWithin(text, framing);
    eachString(start === end ? undefined : tryParsePlainJson(text.slice(start, end)), "", (place, value) => {
      add(place, value);
      const general = names.get(place) ?? withoutIndexes(place);
      names.set(place, general);
      if (general !== place) add(general, value);
    });
  }
  return [...byPlace.values()].map(({ values, isConstant }) =>
    isConstant ? (values[0] ?? "") : values.join(""),
  );
}

/** Calls `found` for each string of a JSON value. Its place has the `index` members of each object on the way. */
function eachString(value: unknown, place: string, found: (place: string, text: string) => void): void {
  if (typeof value === "string") found(place, value);
  if (typeof value !== "object" || value === null) return;
  const names = Object.keys(value);
  const members = value as Readonly<Record<string, unknown>>;
  let own = place;
  for (const name of names)
    if (typeof members[name] === "number" && INDEX.test(name)) own += `#${name}=${members[name]}`;
  for (const name of names) eachString(members[name], `${own}/${name}`, found);
}

const INDEX = /(?:^|_)index$/;

/** A place by its names alone. */
export const withoutIndexes = (place: string): string =>
  place.replaceAll(/#\w+=[^/]*/g, "").replaceAll(/\/\d+(?=\/|$)/g, "/*");

/** The parts of a recording that are searched. */
export type RecordingPlace = "path" | "request headers" | "request body" | "reply" | "name of its test";

/** Returns the name of a part of a recording for a message. */
export function describeRecordingPlace(place: string): string {
  switch (place) {
    case "path":
      return localize("path");
    case "request headers":
      return localize("request headers");
    case "request body":
      return localize("request body");
    case "reply":
      return localize("response");
    case "name of its test":
      return localize("name of its test");
    default:
      return place;
  }
}

export interface PlacedTexts {
  readonly place: RecordingPlace;
  readonly texts: readonly string[];
}

/** Returns everything that a recording's file holds, as texts to search. */
export function listTextsOfRecording(
  { request, reply, test }: Pick<Recording, "request" | "reply" | "test">,
  framing: Framing | undefined = chooseFraming(reply.contentType),
): readonly PlacedTexts[] {
  return [
    { place: "path", texts: listEscapable(request.path) },
    { place: "request headers", texts: (request.headers ?? []).flatMap(([, value]) => listEscapable(value)) },
    { place: "request body", texts: listTextsOfBody(request.body) },
    { place: "reply", texts: listTextsOfBody(reply.body, framing) },
    { place: "name of its test", texts: test === undefined ? [] : [[test.file, ...test.name].join("\n")] },
  ];
}

/** A path or a header, as it is and with its URL escapes undone. */
export const listEscapable = (text: string): readonly string[] =>
  text.includes("%") ? [text, decodePercent(text)] : [text];

/** A secret of a recording, and the part that it is in. */
export interface PlacedSecret extends Secret {
  readonly place: string;
}

/** The secrets in these parts: each value once, in the first part that has it. */
export function findPlacedSecrets(parts: readonly PlacedTexts[], scan: Scan): readonly PlacedSecret[] {
  return removeDuplicateSecrets(
    parts.flatMap(({ place, texts }) => findSecretsIn(texts, scan).map((secret) => ({ ...secret, place }))),
  );
}

/** The first secret with each value, in order. */
export function removeDuplicateSecrets<T extends Secret>(found: readonly T[]): readonly T[] {
  const first = new Map(found.toReversed().map((secret) => [secret.value, secret]));
  return [...first.values()].reverse();
}

export const findSecretsIn = (texts: readonly string[], scan: Scan): readonly Secret[] =>
  keepLongestSecrets(texts.flatMap((text) => scan(text)));

/** Beyond this number of secrets, all are given. */
const MOST_COMPARED = 1_000;

/** Each value once, and of a value that is a part of another one only the longer one. */
export function keepLongestSecrets(found: readonly Secret[]): readonly Secret[] {
  const secrets = removeDuplicateSecrets(found);
  if (secrets.length < 2 || secrets.length > MOST_COMPARED) return secrets;
  return secrets.filter(
    ({ value }) => !secrets.some((one) => one.value !== value && one.value.includes(value)),
  );
}
