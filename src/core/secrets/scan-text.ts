import { mapGroups } from "../base/group-by.ts";
import { argumentKinds, textKinds } from "./kinds/texts.ts";
import { valuesByName } from "./kinds/generic.ts";
import { computeEntropy, type Kind, type ShapedKind } from "./kinds/kind.ts";
import { namedKinds } from "./kinds/named.ts";
import { privateKeys, remains } from "./kinds/private-keys.ts";
import { tokenKinds } from "./kinds/tokens.ts";
import { keepLongestSecrets } from "./searched-texts.ts";
import type { KnownSecrets, Scan, Secret } from "./scanner.ts";

/** Ordered from specific to general: a value that matches two kinds gets the name of the first. */
const KINDS: readonly Kind[] = [
  privateKeys,
  ...tokenKinds,
  ...textKinds,
  ...argumentKinds,
  ...namedKinds,
  remains,
  valuesByName,
];

interface Keyword {
  readonly word: string;
  /** The index of its kind. */
  readonly rank: number;
}

const KEYWORDS: readonly Keyword[] = KINDS.flatMap(({ keywords }, rank) =>
  keywords.map((word) => ({ word, rank })),
);

/** A placeholder for a secret, as in documentation and redacted texts. */
const BLANKED = /([xX*0.#])\1{11}/;

/** Finds the secrets of all kinds, and those that are known, without what `isAllowed`. */
export function createScan(isAllowed: (value: string) => boolean, known: KnownSecrets): Scan {
  return (text) => {
    const { kind, spellings } = known;
    const values = spellings.filter((value) => text.includes(value));
    const found = [...scanText(text), ...values.map((value) => ({ kind, value }))];
    return keepLongestSecrets(found.filter(({ value }) => !BLANKED.test(value) && !isAllowed(value)));
  };
}

/** Finds the secrets of all kinds in one pass: a kind is tried only where one of its keywords is. */
const scanText: Scan = (text) => {
  const found: (Secret & { readonly rank: number })[] = [];
  const ends = new Uint32Array(KINDS.length);
  const isInData = createDataCheck(text);
  findKeywords(text, (rank, at) => {
    // A kind does not read again what it has read for an earlier keyword.
    if (at < (ends[rank] ?? 0)) return;
    const kind = KINDS[rank];
    if (kind === undefined) return;
    const match = "read" in kind ? kind.read(text, at) : matchAt(text, at, { kind, isInData });
    if (match === undefined) return;
    ends[rank] = match.end;
    if (match.value !== undefined && match.value !== "" && !FILE.test(match.value))
      found.push({ kind: kind.kind, value: match.value, rank });
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ kind, value }) => ({ kind, value }));
};

/** The number of hashes of three characters, each of five bits. */
const HASHES = 1 << 15;

/** `| 32` makes letters lower case; it mixes up other characters, which the comparison sorts out. */
const hashNext = (hash: number, code: number): number => ((hash << 5) + (code | 32)) & (HASHES - 1);

/** By the hash of its first three characters, the keywords that may begin there. */
const BEGINNINGS: ReadonlyMap<number, readonly Keyword[]> = mapGroups(KEYWORDS, ({ word }) =>
  [0, 1, 2].reduce((hash, at) => hashNext(hash, word.charCodeAt(at)), 0),
);
/** By the same hash, whether there are any: small enough for a processor's cache. */
const MAY_BEGIN = new Uint8Array(HASHES);
for (const hash of BEGINNINGS.keys()) MAY_BEGIN[hash] = 1;

/**
 * Reports each position of a keyword, ignoring case. Searching for each of the hundreds of keywords separately would
 * take 50 times as long.
 */
function findKeywords(text: string, onFound: (rank: number, at: number) => void): void {
  let hash = 0;
  for (let last = 0; last < text.length; last += 1) {
    hash = hashNext(hash, text.charCodeAt(last));
    if (MAY_BEGIN[hash] === 0 || last < 2) continue;
    for (const { word, rank } of BEGINNINGS.get(hash) ?? [])
      if (isAt(text, last - 2, word)) onFound(rank, last - 2);
  }
}

function isAt(text: string, from: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(from + at);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(at)) return false;
  }
  return true;
}

interface MatchContext {
  readonly kind: ShapedKind;
  readonly isInData: ReturnType<typeof createDataCheck>;
}

function matchAt(text: string, at: number, { kind, isInData }: MatchContext) {
  const { before = 0, shape, isWithinWords = false, isSecret, entropy = 0 } = kind;
  for (let from = Math.max(0, at - before); from <= at; from += 1) {
    if (!isWithinWords && goesOn(text, from)) continue;
    shape.lastIndex = from;
    const match = shape.exec(text);
    if (match === null) continue;
    const { 0: whole, 1: group = whole } = match;
    const end = isWithinWords ? from + whole.length : endOfToken(text, from + whole.length);
    const value = group + text.slice(from + whole.length, end);
    if (EXAMPLE.test(value) || computeEntropy(value) < entropy) return undefined;
    if (isSecret?.(value, nameAt(text, at)) === false || isInData(from, end)) return undefined;
    return { value, end };
  }
  return undefined;
}

/** Documentation is full of them. */
const EXAMPLE = /EXAMPLE(?:KEY)?$/;

/** In characters: this much of the same data is on both sides of a part of it. */
const BESIDE = 512;
const OF_DATA = /^(?:[A-Za-z0-9+/]*|[\w-]*)$/;
/** Neither words nor numbers: base64 of this length has both of its signs almost always. */
const DATA_SIGNS = /\+.*\/|\/.*\+|-.*_|_.*-/;
/** How base64 of a picture, a sound, a film, a PDF, or an archive begins. */
const FILE =
  /^(?:[/_]9j[/_][24-7]|iVBORw0KGgo|R0lGOD[dl]h|UklGR|SUQz[AB]|T2dnUw|JVBERi0|UEsDB|AAEAAAA|AAAA..Z0eX)/;

/** Returns the check whether a match is only a part of a picture, a sound, or a file in base64: one in some hundred has one. */
function createDataCheck(text: string): (from: number, to: number) => boolean {
  let [known, start] = [0, 0];
  const isInFile = (from: number): boolean => {
    let at = from;
    while (at > known && /[\w+/-]/.test(text.charAt(at - 1))) at -= 1;
    // The run in which the last match was goes on up to here.
    if (at > known || known === 0) start = at;
    known = Math.max(known, from);
    return FILE.test(text.slice(start, start + 24));
  };
  return (from, to) => {
    const beside = [text.slice(Math.max(0, from - BESIDE), from), text.slice(to, to + BESIDE)];
    if (beside.every((part) => part.length === BESIDE && OF_DATA.test(part) && DATA_SIGNS.test(part)))
      return true;
    return isInFile(from);
  };
}

const UNDERSCORE = 95;
const BACKSLASH = 92;
const PERCENT = 37;

/** Whether the character before belongs to the same word; one that ends an escape does not: "\nghp_…", "%3Dghp_…". */
function goesOn(text: string, at: number): boolean {
  if (!isWordUnit(text.charCodeAt(at - 1))) return false;
  const mayBeEscape =
    text.charCodeAt(at - 2) === BACKSLASH ||
    text.charCodeAt(at - 3) === PERCENT ||
    text.charCodeAt(at - 6) === BACKSLASH;
  return (
    !mayBeEscape || !/(?:\\[nrt]|\\u00[0-9a-f]{2}|%[0-9a-f]{2})$/i.test(text.slice(Math.max(0, at - 6), at))
  );
}

/** Whether a UTF-16 unit matches `\w`. A pattern takes six times as long for one unit. */
function isWordUnit(unit: number): boolean {
  const letter = unit | 32;
  return (unit >= 48 && unit <= 57) || (letter >= 97 && letter <= 122) || unit === UNDERSCORE;
}

/** A token that goes on behind its shape is taken with its tail, up to 4,096 characters. */
const TAIL = /[\w-]{0,4096}/y;

function endOfToken(text: string, from: number): number {
  TAIL.lastIndex = from;
  TAIL.test(text);
  return Math.max(from, TAIL.lastIndex);
}

const LONGEST_NAME = 60;

/** Returns the name that contains a keyword, up to the assignment of its value. */
function nameAt(text: string, at: number): string {
  const before = /[\w.-]*$/.exec(text.slice(Math.max(0, at - LONGEST_NAME), at))?.[0] ?? "";
  const rest = /^[\w.-]*/.exec(text.slice(at, at + LONGEST_NAME))?.[0] ?? "";
  return before + rest;
}
