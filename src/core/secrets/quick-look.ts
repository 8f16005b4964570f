import { jsonIn } from "../protocol/reading/lenient.ts";
import type { Recording } from "../cassette/recording.ts";
import { groupBy } from "../group-by.ts";
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
const HIDDEN = ['"base64"', '"blobs"'];

/**
 * Whether a recording may hold what `searchRecording` would find, by one look at its file. Costs a fraction of that:
 * the file says all that request and reply do, but for what a stream says in pieces. `file`: its text.
 */
export function* mayHoldSecret(file: string, { reply }: Recording, scan: Scan): Steps<boolean> {
  if (reply.body.byteLength > LONG || HIDDEN.some((name) => file.includes(name))) return true;
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
const hasEscapes = ({ start, end, value }: StringLiteral): boolean => end - start - 2 !== value.length;

/** The strings of which more than one stands at the same place, joined, in each way in which they may belong together. */
function joinedPieces(values: readonly string[]): readonly string[] {
  const said: Said = { places: [], strings: 0 };
  const root = placeAt("");
  for (const value of values) {
    const json = jsonIn(value);
    if (typeof json === "object" && json !== null) collect(json as Members, root, said);
  }
  const joined = GROUPINGS.flatMap((nameOf) =>
    groupBy(said.places, ({ path }) => nameOf(path)).flatMap((places) => joinedIn(places)),
  );
  return [...new Set(joined)];
}

/** What pieces say that belong together. Those that are all alike say nothing that one of them does not. */
function joinedIn(places: readonly Place[]): readonly string[] {
  const [first, ...others] = places;
  const pieces =
    others.length === 0
      ? (first?.pieces ?? [])
      : places.flatMap((place) => place.pieces).sort((a, b) => a.at - b.at);
  return pieces.some(({ text }) => text !== pieces[0]?.text) ? [pieces.map(({ text }) => text).join("")] : [];
}

function valuesIn(body: Uint8Array, framing: Framing | undefined): readonly string[] {
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  const text = textOf(body);
  if (framing === "events") return text.match(/(?<=^data: ?)[{[].*/gm) ?? [];
  return framing === undefined ? [text] : text.split(/\r?\n/);
}

/** A string, and how many came before it. */
interface Piece {
  readonly text: string;
  readonly at: number;
}

/** A place in the values of a stream: those of its events are the same ones over and over. */
interface Place {
  readonly path: string;
  readonly inside: Map<string, Place>;
  readonly pieces: Piece[];
}

/** All places that have a string, and how many strings there are. */
interface Said {
  readonly places: Place[];
  strings: number;
}

type Members = Readonly<Record<string, unknown>>;

const placeAt = (path: string): Place => ({ path, inside: new Map(), pieces: [] });

function insideOf(place: Place, step: string, separator: string): Place {
  let inside = place.inside.get(step);
  if (inside === undefined) place.inside.set(step, (inside = placeAt(place.path + separator + step)));
  return inside;
}

function collect(value: Members, place: Place, said: Said): void {
  const names = Object.keys(value);
  const marks = marksOf(value, names);
  const within = marks === "" ? place : insideOf(place, marks, "");
  for (const name of names) {
    const inside = value[name];
    if (typeof inside === "string") {
      const { pieces } = insideOf(within, name, "/");
      if (pieces.length === 0) said.places.push(insideOf(within, name, "/"));
      pieces.push({ text: inside, at: said.strings });
      said.strings += 1;
    } else if (typeof inside === "object" && inside !== null) {
      collect(inside as Members, insideOf(within, name, "/"), said);
    }
  }
}

/** As `placedLiterals` marks an object that says which piece of an answer it is. */
function marksOf(value: Members, names: readonly string[]): string {
  let marks = "";
  for (const name of names) {
    const index = value[name];
    if (typeof index === "number" && /(?:^|_)index$/.test(name)) marks += `#${name}=${index}`;
  }
  return marks;
}
