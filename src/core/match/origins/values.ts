import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../../base/json/json-tree.ts";
import type { GeneratedValue } from "../../cassette/recording.ts";

/** A place in a text where a value is. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly origin: string;
}

/** Below this length a value counts only where no `-`, `_`, or `.` joins it to a longer word. */
const LONG = 8;

/** A number or a name that may be something else counts only after a text that announces it. */
const ANNOUNCED: readonly (readonly [origin: RegExp, before: RegExp])[] = [
  [/^port/, /(?::|\bport\W{0,4}(?:is )?)$/i],
  [/^zone/, /\b(?:time ?zone|tz|zone)\W{0,6}(?:is )?$/i],
  [/^pid/, /\b(?:p?pid|process|worker)\W{0,4}(?:id\W{0,4})?$/i],
  [
    /^user/,
    /(?:\b(?:user(?:name)?|owner|logname|whoami)\W{0,4}(?:is )?|[dl-][rwxst-]{9}[.+@]? +\d+ (?:\S+ +)?)$/i,
  ],
];
const FOLDER = /^(?:temp|home|project|repository)/;
/** Short ones are numbers after a word that announces them, or random. */
const CHANCE = /^(?:port|pid|random)/;
const CHOSEN_BY_CHANCE = /^(?:uuid|random)/;
const EPOCH = /^now: (?:milli|micro|nano)?seconds/;
const TIME = /^now: /;
/** Longest text before a value that announces it. */
const LONGEST_CONTEXT = 32;

/**
 * An id of an earlier reply: its kind, its number there, and the recording that gave it out. The id of a conversation also has
 * the recording of the last call that added to it.
 */
const REPLY_ID = /^(.+) of ([0-9a-f]{12}(?:\.\d+)?)(?: after ([0-9a-f]{12}(?:\.\d+)?))?$/;

export const isReplyId = ({ origin }: Pick<GeneratedValue, "origin">): boolean => REPLY_ID.test(origin);

export interface ReplyIdOrigin {
  /** The id in its reply: "resp 1". */
  readonly label: string;
  /** The recording that gave it out. */
  readonly name: string;
  /** The recording whose state it has: of the last call that added to a conversation, or else the one that gave it out. */
  readonly last: string;
}

/** Reads the origin of an id of an earlier reply; undefined for other values. */
export function readReplyId({ origin }: Pick<GeneratedValue, "origin">): ReplyIdOrigin | undefined {
  const [, label, name, last = name] = REPLY_ID.exec(origin) ?? [];
  return label === undefined || name === undefined || last === undefined ? undefined : { label, name, last };
}

/** Returns the part after the last `/` or `:`. */
export const getPathEnd = (text: string): string =>
  text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf(":")) + 1);

/** Whether a value counts at a place of a text: it is no part of a longer word, number, date, or path. */
export function countsAt(text: string, start: number, end: number, origin: string): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_CONTEXT), start);
  const after = text.slice(end, end + 2);
  if (REPLY_ID.test(origin))
    return (/%[0-9A-Fa-f]{2}$/.test(before) || !/[\w-]$/.test(before)) && !/^[\w-]/.test(after);
  if (FOLDER.test(origin)) return !/[\w.]$/.test(before) && !/^(?:[\w-]|\.\w)/.test(after);
  if (!isAnnounced(before, after, origin)) return false;
  if (isInWord(text, start, end) && !(CHOSEN_BY_CHANCE.test(origin) && isWholeId(text.slice(start, end))))
    return false;
  if (!/[A-Za-z]/.test(text.slice(start, end)) && isInNumber(before, after, origin)) return false;
  if (end - start >= LONG || CHANCE.test(origin)) return true;
  return !(/[\w.-][_-]$|^[_-]$/.test(before) || /^[_-]\w/.test(after));
}

/** A UUID, or 32 hexadecimal digits, which also count within a word: no other word contains them by coincidence. */
export const WHOLE_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}/i;
const isWholeId = (text: string): boolean => WHOLE_ID.exec(text)?.[0] === text;

/** The port of 127.0.0.1:41234 follows a number, and an id can follow a date. */
function isInNumber(before: string, after: string, origin: string): boolean {
  if (TIME.test(origin)) return /\d[:.,]$/.test(before) || /^[:.,]\d/.test(after);
  return (!origin.startsWith("port") && /\d[:.,/-]$/.test(before)) || /^[:.,/-]\d/.test(after);
}

function isAnnounced(before: string, after: string, origin: string): boolean {
  const [, pattern] = ANNOUNCED.find(([kind]) => kind.test(origin)) ?? [];
  return pattern === undefined || pattern.test(before) || (origin.startsWith("user") && /^@\w/.test(after));
}

/** Letters and digits of scripts that put spaces between words. */
const LETTER = /[A-Za-z0-9\u00c0-\u024f]/;

function isInWord(text: string, start: number, end: number): boolean {
  const isJoined = (one: number, other: number): boolean =>
    LETTER.test(text.charAt(one)) && LETTER.test(text.charAt(other));
  return isJoined(start - 1, start) || isJoined(end - 1, end);
}

/** Finds the places of values in a text, from left to right. Where two overlap, the longer one counts. */
export const findOccurrences = (text: string, values: readonly GeneratedValue[]): readonly Occurrence[] =>
  findTexts(
    text,
    values,
    ({ text: value }) => value,
    ({ origin }, start, end) => countsAt(text, start, end, origin),
  ).map(({ item: { origin }, start, end }) => ({ start, end, origin }));

/**
 * Finds the places of texts in another text, from left to right, without those that do not count. Where two overlap, the longer one
 * is found. Reads the text once, however many `items` there are; the array must not change.
 */
export function findTexts<T extends object>(
  text: string,
  items: readonly T[],
  textOf: (item: T) => string,
  counts: (item: T, start: number, end: number) => boolean,
): readonly { readonly item: T; readonly start: number; readonly end: number }[] {
  const { first, lengths, byText } = indexTexts(items, textOf);
  const found: { item: T; start: number; end: number }[] = [];
  first.lastIndex = 0;
  while (first.test(text)) {
    const start = first.lastIndex - 1;
    for (const length of lengths.get(text.charAt(start)) ?? []) {
      const end = start + length;
      const item = byText.get(text.slice(start, end));
      if (item !== undefined && counts(item, start, end)) found.push({ item, start, end });
    }
  }
  return withoutOverlaps(found);
}

interface TextIndex<T> {
  /** Finds the characters with which a text begins. */
  readonly first: RegExp;
  /** Lengths of the texts by their first character. */
  readonly lengths: ReadonlyMap<string, ReadonlySet<number>>;
  readonly byText: ReadonlyMap<string, T>;
}

const indexes = new WeakMap<readonly object[], TextIndex<object>>();

function indexTexts<T extends object>(items: readonly T[], textOf: (item: T) => string): TextIndex<T> {
  const known = indexes.get(items);
  if (known !== undefined) return known as TextIndex<T>;
  const byText = new Map<string, T>();
  const lengths = new Map<string, Set<number>>();
  for (const item of items) {
    const text = textOf(item);
    if (text === "" || byText.has(text)) continue;
    byText.set(text, item);
    lengths.set(text.charAt(0), (lengths.get(text.charAt(0)) ?? new Set()).add(text.length));
  }
  const characters = [...lengths.keys()].map((character) => character.replace(/[\\\]^-]/, "\\$&"));
  const index = { first: new RegExp(`[${characters.join("")}]`, "g"), lengths, byText };
  indexes.set(items, index);
  return index;
}

/** Keeps the longest of overlapping places, in the order of the text. */
export function withoutOverlaps<T extends { readonly start: number; readonly end: number }>(
  places: readonly T[],
): readonly T[] {
  if (places.length < 2) return places;
  const taken = createTakenPlaces(places.reduce((most, { end }) => Math.max(most, end), 0));
  return places
    .toSorted((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)
    .filter(({ start, end }) => taken.take(start, end))
    .toSorted((a, b) => a.start - b.start);
}

/** Marks the places of a text. Its time grows with the text only, however many places there are. */
export function createTakenPlaces(length: number) {
  const marks = new Uint8Array(length);
  return {
    /** Takes a place and returns true, unless a part of it is already taken. */
    take(start: number, end: number): boolean {
      if (marks.subarray(start, end).includes(1)) return false;
      marks.fill(1, start, end);
      return true;
    },
  };
}

/** Returns the text that replaces a value in a key. */
const placeholder = ({ origin }: Pick<GeneratedValue, "origin">): string => `<${origin}>`;

/** Replaces each value in a text, by default by its origin in angle brackets: "Read <temp folder 1>/notes.txt". */
export function replaceValues(
  text: string,
  values: readonly GeneratedValue[],
  replacement: (value: GeneratedValue) => string = placeholder,
): string {
  let replaced = "";
  let from = 0;
  for (const { start, end, origin } of findOccurrences(text, values)) {
    replaced += text.slice(from, start) + replacement({ text: text.slice(start, end), origin });
    from = end;
  }
  return from === 0 ? text : replaced + text.slice(from);
}

/** Replaces values in all strings of a JSON tree, and numbers that are a time. Names of members stay. */
export function replaceValuesIn(tree: JsonTree, values: readonly GeneratedValue[]): JsonTree {
  if (values.length === 0) return tree;
  if (typeof tree === "string") return replaceValues(tree, values);
  if (tree === null || typeof tree !== "object") return tree;
  if (isJsonNumber(tree)) {
    // A port or a process id may equal a limit or an amount.
    const value = values.find(({ text, origin }) => text === tree.number && EPOCH.test(origin));
    return value === undefined ? tree : placeholder(value);
  }
  if (isJsonArray(tree)) return tree.map((element) => replaceValuesIn(element, values));
  if (!isJsonObject(tree)) return tree;
  return { members: tree.members.map(([name, value]) => [name, replaceValuesIn(value, values)]) };
}
