import {
  getMember,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import type { RequestBody } from "../../base/read-body.ts";
import type { PlaceValue, ValueKind, ValuePool } from "../../call/value-pool.ts";
import type { GeneratedValue } from "../../cassette/recording.ts";
import { findMoments, type PresentTime } from "./moments.ts";
import { readTimeOfId, SHORTEST_ID } from "./time-ids.ts";
import { countsAt, isReplyId, WHOLE_ID, withoutOverlaps } from "./values.ts";

export interface ValueSearch extends PresentTime {
  /** Values that the processes of the run reported. */
  readonly pool?: ValuePool | undefined;
  /** Ids that earlier replies of the run gave out. */
  readonly replies?: TokenTable | undefined;
  /** Folders and names of this machine. */
  readonly places: readonly PlaceValue[];
  /** Ids by which the client names itself. */
  readonly clients?: TokenTable | undefined;
  /** Whether the source of the test has this text, so that it was typed. */
  readonly isTyped?: ((text: string) => boolean) | undefined;
}

/** A value, and its origin without its number in the request. */
interface FoundValue {
  readonly kind: string;
  /** Position among the values of the run. */
  readonly order: number;
}

/** Values that are found by the tokens of a text. */
export interface TokenTable {
  find(token: string): FoundValue | undefined;
}

/** A place in a text that holds a value of known origin. */
interface FoundPlace {
  readonly start: number;
  readonly end: number;
  readonly origin: string;
  /** Position among the values of the run; 0 for values that every process of the machine shares. */
  readonly order: number;
}

/** Kinds with one value per machine, which needs no number. */
const SINGLE: ReadonlySet<string> = new Set<ValueKind>([
  "temp",
  "home",
  "project",
  "repository",
  "host",
  "zone",
  "user",
]);

/**
 * Finds the values of known origin in the texts of a request: its path, then the strings of its JSON body in order. The values
 * of a kind are numbered in the order in which they were made, so that two that change places are another request.
 */
export function findValues(
  texts: readonly string[],
  search: ValueSearch,
  body?: RequestBody,
): readonly GeneratedValue[] {
  const clients = body?.kind === "json" ? findClientIds(body.tree, texts) : undefined;
  return listValues(texts, { ...search, clients }, placesIn);
}

/** A UUID, or letters and digits that are mixed by chance. */
const CLIENT_ID =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![A-Za-z0-9])(?=[A-Za-z]*\d[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}/g;

/**
 * Finds the random ids by which a client, such as a coding agent, names its device and its session to the provider for accounting
 * and caches: no reply depends on them. An id that is also elsewhere in the request may be part of the question.
 * Sources: the API references of Anthropic (metadata) and OpenAI (prompt_cache_key, safety_identifier), Codex 0.171.
 */
function findClientIds(body: JsonTree, texts: readonly string[]): TokenTable | undefined {
  if (!isJsonObject(body)) return undefined;
  const user = getMember(getMember(body, "metadata"), "user_id");
  const named = ["client_metadata", "prompt_cache_key", "safety_identifier"].map((name) =>
    getMember(body, name),
  );
  const labels = [user, ...named].flatMap((label) => (label === undefined ? [] : sortedTexts(label)));
  if (labels.length === 0) return undefined;
  const others = texts.filter((text) => !labels.includes(text));
  const ids = labels.flatMap((label) => label.match(CLIENT_ID) ?? []);
  const own = [...new Set(ids)].filter((id) => !others.some((text) => text.includes(id)));
  const found = new Map(own.map((id, order) => [id, { kind: "client", order }]));
  return { find: (token) => found.get(token) };
}

/** The texts of a label. Clients may write the members of an object in any order. */
function sortedTexts(label: JsonTree): readonly string[] {
  if (!isJsonObject(label)) return [...listValueTexts(label)];
  const members = label.members.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return members.flatMap(([, value]) => [...listValueTexts(value)]);
}

/** Finds only the ids of earlier replies in the texts of a request. */
export function findNamedIds(
  texts: Iterable<string>,
  search: Pick<ValueSearch, "replies" | "isTyped">,
): readonly GeneratedValue[] {
  return listValues(texts, search, idsIn);
}

/** Longer texts hold data and are not searched. UTF-16 code units. */
const MOST_SEARCHED = 262_144;

function listValues<S extends Pick<ValueSearch, "isTyped">>(
  texts: Iterable<string>,
  search: S,
  findPlaces: (text: string, search: S) => readonly FoundPlace[],
): readonly GeneratedValue[] {
  const found = new Map<string, Pick<FoundPlace, "origin" | "order">>();
  const typed = new Map<string, boolean>();
  for (const text of texts) {
    if (text.length > MOST_SEARCHED) continue;
    for (const place of findPlaces(text, search)) {
      const value = text.slice(place.start, place.end);
      if (found.has(value)) continue;
      const whole = wholeValue(text, place);
      const isTyped = typed.get(whole) ?? search.isTyped?.(whole) === true;
      typed.set(whole, isTyped);
      if (!isTyped) found.set(value, place);
    }
  }
  const numbers = numberOf(found);
  return Array.from(found, ([text]) => ({ text, origin: numbers.get(text) ?? "" }));
}

function numberOf(
  found: ReadonlyMap<string, Pick<FoundPlace, "origin" | "order">>,
): ReadonlyMap<string, string> {
  const [numbered, counts] = [new Map<string, string>(), new Map<string, number>()];
  for (const [text, { origin }] of [...found].toSorted(([, a], [, b]) => a.order - b.order)) {
    const number = (counts.get(origin) ?? 0) + 1;
    counts.set(origin, number);
    const isTime = /:#|seconds/.test(origin);
    const isPlain =
      SINGLE.has(origin) || isReplyId({ origin }) || isTime || (origin.startsWith("now: ") && number === 1);
    numbered.set(text, isPlain ? origin : `${origin} ${number}`);
  }
  return numbered;
}

/** Returns the path that a folder begins, or the value itself. */
function wholeValue(text: string, { start, end }: FoundPlace): string {
  const isPath = /[\\/]/.test(text.slice(start, end));
  const [rest = ""] = isPath ? (/^[^\s"'`<>|*?(),;:]*/.exec(text.slice(end, end + LONGEST_PATH)) ?? []) : [];
  return text.slice(start, end) + rest;
}

const LONGEST_PATH = 1_024;

function placesIn(text: string, search: ValueSearch): readonly FoundPlace[] {
  const { pool, places } = search;
  return withoutOverlaps([
    ...namedPlacesIn(text, pool === undefined ? places : [...pool.places, ...places]),
    ...idsIn(text, search),
    ...tokensIn(text, pool === undefined ? LONG_TOKEN : TOKEN, (token) => find(token, search)),
    ...findMoments(text, search).map((place) => ({ ...place, order: 0 })),
  ]);
}

function idsIn(text: string, { replies }: Pick<ValueSearch, "replies">): readonly FoundPlace[] {
  if (replies === undefined) return [];
  const found: FoundPlace[] = [];
  for (const { 0: token, index } of text.matchAll(ID_TOKEN)) {
    const id = mayBeValue(token) ? replies.find(token) : undefined;
    const place = id && createPlace(id, text, index, index + token.length);
    if (place !== undefined) found.push(place);
  }
  return found;
}

const LONGEST_TOKEN = 4_096;
/** Parts of a token that are looked up together. A UUID has five. */
const MOST_JOINED = 8;
/** Shorter tokens count only with digits. */
const LONG = 8;
const TOKEN = /[\w+/-]{3,}={0,2}/g;
/** The tokens that may be ids with a time: most words of a prompt are shorter. */
const LONG_TOKEN = new RegExp(String.raw`(?<![\w+/-])[\w+/-]{${SHORTEST_ID},}={0,2}`, "g");
/** In a path, an id can follow an escape: `arn%3Aaws%3Abedrock%2F1a2b`. */
const ID_TOKEN = /(?:(?<=%[0-9A-Fa-f]{2})|(?<!%[0-9A-Fa-f]?))[\w-]{4,}/g;

function find(token: string, search: ValueSearch): FoundValue | undefined {
  const madeAt = readTimeOfId(token);
  if (madeAt !== undefined && search.since - SECOND <= madeAt && madeAt <= search.now + SECOND)
    return { kind: token.includes("-") ? "uuid" : "random", order: madeAt };
  return search.pool?.find(token) ?? search.clients?.find(token);
}

const SECOND = 1_000;

type Find = (token: string) => FoundValue | undefined;

const mayBeValue = (token: string): boolean =>
  token.length <= LONGEST_TOKEN && (token.length >= LONG || /\d/.test(token));

function tokensIn(text: string, pattern: RegExp, findValue: Find): readonly FoundPlace[] {
  const found: FoundPlace[] = [];
  // Not with `matchAll`, which compiles the pattern again for each text.
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { 0: token, index } = match;
    if (!mayBeValue(token)) continue;
    const value = findValue(token);
    const whole = value && createPlace(value, text, index, index + token.length);
    if (whole !== undefined) found.push(whole);
    else
      found.push(
        ...joinedIdsIn(token, index, { text, findValue }),
        ...partsIn(token, index, { text, findValue }),
      );
  }
  return found;
}

interface TokenSearch {
  readonly text: string;
  readonly findValue: Find;
}

/** Finds ids that letters or digits follow or precede: "Rome0b8e6f0a-5a7c-…". */
function joinedIdsIn(token: string, index: number, { text, findValue }: TokenSearch): readonly FoundPlace[] {
  const found: FoundPlace[] = [];
  if (token.length <= SHORTEST_JOINED || token.length > LONGEST_JOINED) return found;
  const pattern = new RegExp(WHOLE_ID, "gi");
  for (let match = pattern.exec(token); match !== null; match = pattern.exec(token)) {
    const [start, end] = [index + match.index, index + pattern.lastIndex];
    const value = findValue(match[0]);
    const place = value && createPlace(value, text, start, end);
    if (place !== undefined) found.push(place);
    // The id may begin at the next digit.
    else pattern.lastIndex = match.index + 1;
  }
  return found;
}

const SHORTEST_JOINED = 32;
const LONGEST_JOINED = 256;

function partsIn(token: string, index: number, { text, findValue }: TokenSearch): readonly FoundPlace[] {
  const found: FoundPlace[] = [];
  // Most tokens are words, which have no other part than the whole token.
  if (!/[^A-Za-z0-9]/.test(token)) return found;
  const parts = [...token.matchAll(/[A-Za-z0-9]+/g)];
  for (let from = 0; from < parts.length; from += 1)
    for (let to = Math.min(parts.length, from + MOST_JOINED) - 1; to >= from; to -= 1) {
      const first = index + (parts[from]?.index ?? 0);
      const last = index + (parts[to]?.index ?? 0) + (parts[to]?.[0].length ?? 0);
      const value = last - first < 3 ? undefined : findValue(text.slice(first, last));
      if (value === undefined) continue;
      const [start, end] = withOuterDashes(text, [first, last], findValue);
      const place = createPlace(value, text, start, end);
      if (place === undefined) continue;
      found.push(place);
      from = to;
      break;
    }
  return found;
}

/** Random ids can begin or end with `-` and `_`, unlike what joins them to other words. */
function withOuterDashes(
  text: string,
  [first, last]: readonly [number, number],
  findValue: Find,
): readonly [start: number, end: number] {
  let [start, end] = [first, last];
  const isDash = (at: number): boolean => /[_-]/.test(text.charAt(at));
  const isWord = (at: number): boolean => /[A-Za-z0-9]/.test(text.charAt(at));
  while (isDash(start - 1) && !isWord(start - 2) && findValue(text.slice(start - 1, end))) start -= 1;
  while (isDash(end) && !isWord(end + 1) && findValue(text.slice(start, end + 1))) end += 1;
  return [start, end];
}

function createPlace(
  { kind, order }: FoundValue,
  text: string,
  start: number,
  end: number,
): FoundPlace | undefined {
  return countsAt(text, start, end, kind) ? { start, end, origin: kind, order } : undefined;
}

function namedPlacesIn(text: string, places: readonly PlaceValue[]): readonly FoundPlace[] {
  const found: FoundPlace[] = [];
  for (const { kind, text: place, name = "", order } of places)
    for (let start = text.indexOf(place); start >= 0; start = text.indexOf(place, start + place.length)) {
      const end = start + place.length;
      const origin = name === "" ? kind : `${kind} ${name}`;
      if (countsAt(text, start, end, kind)) found.push({ start, end, origin, order });
    }
  return found;
}

/** The texts of a request's JSON body in their order, and the numbers that may be times. */
export function* listValueTexts(tree: JsonTree): Generator<string> {
  if (typeof tree === "string") yield tree;
  else if (tree === null || typeof tree !== "object") return;
  else if (isJsonNumber(tree))
    yield* /^1[6-9]\d{8}(?:\d{3}|\d{6}|\d{9}|\.\d+)?$/.test(tree.number) ? [tree.number] : [];
  else if (isJsonArray(tree)) for (const element of tree) yield* listValueTexts(element);
  else if (isJsonObject(tree)) for (const [, value] of tree.members) yield* listValueTexts(value);
}
