import { endOfString } from "../base/wire/text.ts";
import { groupBy, mapGroups } from "../base/group-by.ts";
import { isText, tryParsePlainJson } from "../base/lenient.ts";
import type { Framing } from "../base/wire/framing.ts";

/** A string of one event of a stream: strings at the same place are pieces of one text. */
export interface Piece extends JsonString {
  readonly place: string;
}

/** The ways in which pieces may belong together: as their indexes say, and by their names alone. */
export const GROUPINGS: readonly ((pieces: readonly Piece[]) => readonly (readonly Piece[])[])[] = [
  (pieces) => groupBy(pieces, ({ place }) => place),
  groupByName,
];

/** Groups the pieces of places that differ only in their indexes. */
function groupByName(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const places = new Set(pieces.map(({ place }) => place));
  const names = new Map<string, string>();
  for (const [name, some] of mapGroups(places, removeIndexes))
    if (some.length > 1) for (const place of some) names.set(place, name);
  const shared = pieces.filter(({ place }) => names.has(place));
  return groupBy(shared, ({ place }) => names.get(place) ?? place);
}

const removeIndexes = (place: string): string =>
  place.replaceAll(/#\w+=[^/]*/g, "").replaceAll(/\/\d+(?=\/|$)/g, "/*");

const DATA_LINE = /^data:[ ]?([^\r\n]*)/m;

/** Where the JSON of an event is in its text: the value of its one data line, or all but the marks of an array. */
function findJsonWithin(text: string, framing: Framing | undefined): { start: number; end: number } {
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

/** The strings of all events that have one object or array each. */
export function collectStreamPieces(
  events: readonly string[],
  framing: Framing | undefined,
): readonly Piece[] {
  return events.flatMap((text, event) => {
    const { start, end } = findJsonWithin(text, framing);
    return readStrings(text, start, end, event).filter(isPiece);
  });
}

const isPiece = (string: JsonString): string is Piece => string.place !== undefined;

/** A string within a text of JSON: where its quotes are (`end` is behind the second), and its value without escapes. */
export interface JsonString {
  /** The index of its event; 0 in a text that is no stream. */
  readonly event: number;
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
export function findJsonStrings(json: string): readonly JsonString[] | undefined {
  if (!/^\s*[[{]/.test(json) || tryParsePlainJson(json) === undefined) return undefined;
  return readStrings(json, 0, json.length);
}

const QUOTE = 34;

/** Reads the strings between two positions of a text, in order. Text that is not JSON gives strings, too. */
function readStrings(text: string, from: number, to: number, event = 0): readonly JsonString[] {
  const found: (JsonString & { place: string | undefined })[] = [];
  const containers: (Container | undefined)[] = [];
  let within: Container | undefined;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== QUOTE) {
      if (isPunctuation(unit)) within = enter(text, at, within);
      continue;
    }
    const end = endOfString(text, at);
    const isName = within?.isArray === false && within.member === undefined;
    const value = valueOf(text, at, end);
    const name = isName || within === undefined ? undefined : (within.member ?? `${within.count}`);
    found.push({ event, start: at, end, value, place: name });
    containers.push(within);
    if (isName && within !== undefined) within.member = value;
    at = end - 1;
  }
  // An index may be behind the strings of its object: places are known at the end.
  for (const [index, string] of found.entries()) {
    const container = containers[index];
    if (string.place !== undefined && container) string.place = `${findPlace(container)}/${string.place}`;
  }
  return found;
}

/** Whether a UTF-16 unit is one of `,:[]{}`. */
function isPunctuation(unit: number): boolean {
  return unit === 44 || unit === 58 || unit === 91 || unit === 93 || unit === 123 || unit === 125;
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

function findPlace(container: Container): string {
  const { parent, name, indexes } = container;
  return (container.place ??= `${parent === undefined ? "" : findPlace(parent)}${name}${indexes}`);
}

function valueOf(json: string, start: number, end: number): string {
  const written = json.slice(start + 1, end - 1);
  if (!written.includes("\\")) return written;
  const value = tryParsePlainJson(`"${written}"`);
  return isText(value) ? value : written;
}
