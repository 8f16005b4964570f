import type { Recording } from "../cassette/recording.ts";
import type { Steps } from "../steps.ts";
import { readMessages } from "../wire/event-stream-text.ts";
import { framingOf, type Framing } from "../wire/framing.ts";
import { textOf } from "../wire/text.ts";
import { searchReadings, stringsWithin } from "./readings.ts";
import { GROUPINGS } from "./reply-parts.ts";
import type { Scan } from "./scanner.ts";
import { isJsonText, type StringLiteral } from "./string-literals.ts";

/** Longer replies are read in steps, which only the whole search does. */
const LONG = 1_048_576;
/** Binary content, which may itself hold what is encoded. */
const HIDDEN = /"base64"|"blobs"/;

/**
 * Whether a recording may hold what `searchRecording` would find, by one look at its file. Costs a fraction of that:
 * the file says all that request and reply do, but for what a stream says in pieces. `file`: its text.
 */
export function* mayHoldSecret(file: string, { reply }: Recording, scan: Scan): Steps<boolean> {
  if (reply.body.byteLength > LONG || HIDDEN.test(file)) return true;
  // Without its indents a list stands in it as the provider writes it, a name close to its value.
  const readings = [file.replaceAll(/\n +/g, "\n")];
  if (file.includes("\\")) {
    if (!isJsonText(file)) return true;
    readings.push(...(yield* stringsWithin(file, 0, hasEscapes)));
  }
  const joined = joinedPieces(valuesIn(reply.body, framingOf(reply.contentType)));
  readings.push(joined.join("\n"));
  for (const text of joined) readings.push(...(yield* stringsWithin(text, 0)));
  const { plain, encoded } = yield* searchReadings(readings, scan);
  return plain.length + encoded.length > 0;
}

/** What has none stands in the file as it is. */
function hasEscapes({ start, end, value }: StringLiteral): boolean {
  return end - start - 2 !== value.length;
}

/** The strings of which more than one stands at the same place, joined, in each way in which they may belong together. */
function joinedPieces(values: readonly string[]): readonly string[] {
  const groups: Groups = GROUPINGS.map(() => new Map());
  const root = placeAt("");
  for (const value of values) add(parsed(value), root, groups);
  const several = groups.flatMap((byName) => [...byName.values()].filter(({ pieces }) => pieces > 1));
  return [...new Set(several.map(({ text }) => text))];
}

function valuesIn(body: Uint8Array, framing: Framing | undefined): readonly string[] {
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  const text = textOf(body);
  if (framing === "events") return text.match(/(?<=^data: ?)[{[].*/gm) ?? [];
  return framing === undefined ? [text] : text.split(/\r?\n/);
}

/** Strings that belong together. */
interface Group {
  text: string;
  pieces: number;
}

type Groups = readonly Map<string, Group>[];

/** A place in the values of a stream: those of its events are the same ones over and over. */
interface Place {
  readonly path: string;
  readonly inside: Map<string, Place>;
  /** Those to which its strings belong, by grouping. */
  groups?: readonly Group[];
}

function placeAt(path: string): Place {
  return { path, inside: new Map() };
}

function insideOf(place: Place, step: string, separator: string): Place {
  let inside = place.inside.get(step);
  if (inside === undefined) place.inside.set(step, (inside = placeAt(place.path + separator + step)));
  return inside;
}

function add(value: unknown, place: Place, groups: Groups): void {
  if (typeof value === "string") {
    for (const group of (place.groups ??= groupsOf(place.path, groups))) {
      group.text += value;
      group.pieces += 1;
    }
  } else if (typeof value === "object" && value !== null) {
    const marks = marksOf(value);
    const within = marks === "" ? place : insideOf(place, marks, "");
    for (const [name, inside] of Object.entries(value)) add(inside, insideOf(within, name, "/"), groups);
  }
}

function groupsOf(path: string, groups: Groups): readonly Group[] {
  return groups.map((byName, at) => {
    const name = GROUPINGS[at]?.(path) ?? path;
    const group = byName.get(name) ?? { text: "", pieces: 0 };
    byName.set(name, group);
    return group;
  });
}

/** As `placedLiterals` marks an object that says which piece of an answer it is. */
function marksOf(value: object): string {
  let marks = "";
  for (const [name, index] of Object.entries(value))
    if (typeof index === "number" && /(?:^|_)index$/.test(name)) marks += `#${name}=${index}`;
  return marks;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
