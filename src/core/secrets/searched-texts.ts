import { localize } from "../base/localize.ts";
import type { Recording } from "../cassette/recording.ts";
import { readMessages } from "../base/wire/event-stream-text.ts";
import { chooseFraming, listPieces, type Framing } from "../base/wire/framing.ts";
import { decodePercent, decodeText, endOfString, withoutPercentEscapes } from "../base/wire/text.ts";
import { collectStreamPieces, GROUPINGS } from "./json-strings.ts";
import type { Scan, Secret } from "./scanner.ts";
import { tryParsePlainJson } from "../base/lenient.ts";

/** The events of a stream as texts; a message of an AWS event stream is its data, which cannot be written back. */
export function listEventTexts(body: Uint8Array, framing: Framing | undefined): readonly string[] {
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  return listPieces(body, framing);
}

/**
 * A body as it is written, and the strings of its JSON that have escapes, without these. In a stream the strings at the
 * same place of all events are joined: a secret may be split over them. Texts with URL escapes are also read without them.
 */
export function listTextsOfBody(body: Uint8Array, framing?: Framing): readonly string[] {
  const raw = decodeText(body);
  const more =
    framing === undefined ? escapedStrings(raw) : joinedStrings(listEventTexts(body, framing), framing);
  const texts = more.length === 0 ? [raw] : [raw, [...new Set(more)].join("\n")];
  return texts.flatMap((text) => {
    const plain = text.includes("%") ? withoutPercentEscapes(text) : text;
    return plain === text ? [text] : [text, plain];
  });
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

/** The strings of all events by place, joined: by their indexes, which tell interleaved parts apart, and by their names alone. */
function joinedStrings(events: readonly string[], framing: Framing): readonly string[] {
  const pieces = collectStreamPieces(events, framing);
  return GROUPINGS.flatMap((group) => group(pieces)).map((some) => {
    const first = some[0]?.value ?? "";
    // Nothing is split over ids and models, which are the same in all events.
    return some.every(({ value }) => value === first) ? first : some.map(({ value }) => value).join("");
  });
}

/** The parts of a recording that are searched. */
export type RecordingPlace = "path" | "request headers" | "request body" | "reply" | "name of its test";

/** Returns the name of a part of a recording for a message. */
export const describeRecordingPlace = (place: string): string => PLACES[place]?.() ?? place;

const PLACES: Readonly<Record<string, () => string>> = {
  path: () => localize("path"),
  "request headers": () => localize("request header"),
  "request body": () => localize("request body"),
  reply: () => localize("response"),
  "name of its test": () => localize("name of its test"),
};

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
