import type { Rule } from "./keywords.ts";
import { argumentKinds } from "./kinds/arguments.ts";
import { entropyOf, type Kind } from "./kinds/kind.ts";
import { namedKinds } from "./kinds/named.ts";
import { textKinds } from "./kinds/texts.ts";
import { tokenKinds } from "./kinds/tokens.ts";
import { characterSet } from "./runs.ts";
import { KEY_KEYWORDS, PRIVATE_KEY, privateKeyAt, remains } from "./private-keys.ts";
import type { Secret } from "./scanner.ts";

/** In order of what tells more: what two of them find is called by the first. */
const KINDS: readonly Kind[] = [...tokenKinds, ...textKinds, ...argumentKinds, ...namedKinds, remains];

/** A token that goes on behind its shape goes with it, so far. */
const LONGEST_TAIL = 4_096;
const LONGEST_NAME = 60;
/** In documentation everywhere. */
const EXAMPLE = /EXAMPLE(?:KEY)?$/;

const KEYWORDS = [
  ...KEY_KEYWORDS.map((word) => ({ word, rank: -1 })),
  ...KINDS.flatMap(({ keywords }, rank) => keywords.map((word) => ({ word, rank }))),
];

/** Finds what our own tables describe. */
export const shapes: Rule = {
  words: KEYWORDS.map(({ word }) => word),
  look(text) {
    const found: (Secret & { readonly rank: number })[] = [];
    const ends = new Map<number, number>();
    return {
      at(word, at) {
        const rank = KEYWORDS[word]?.rank ?? -1;
        // What a kind has found already is not looked at again for every keyword within it.
        if (at < (ends.get(rank) ?? 0)) return;
        const match = rank < 0 ? keyAt(text, at) : matchAt(text, at, KINDS[rank]);
        if (match === undefined) return;
        ends.set(rank, match.end);
        found.push({ kind: match.kind, value: match.value, rank });
      },
      secrets: () => found.sort((a, b) => a.rank - b.rank).map(({ kind, value }) => ({ kind, value })),
    };
  },
};

interface Match extends Secret {
  readonly end: number;
}

function keyAt(text: string, at: number): Match | undefined {
  const value = privateKeyAt(text, at);
  return value === undefined ? undefined : { kind: PRIVATE_KEY, value, end: at + value.length };
}

function matchAt(text: string, at: number, kind: Kind | undefined): Match | undefined {
  if (kind === undefined) return undefined;
  const { before = 0, shape, isWithinWords = false, isSecret, entropy = 0 } = kind;
  for (let from = Math.max(0, at - before); from <= at; from += 1) {
    if (!isWithinWords && goesOn(text, from)) continue;
    shape.lastIndex = from;
    const match = shape.exec(text);
    if (match === null) continue;
    const { 0: whole, 1: group = whole } = match;
    const end = isWithinWords ? from + whole.length : endOfToken(text, from + whole.length);
    const value = group + text.slice(from + whole.length, end);
    if (EXAMPLE.test(value) || entropyOf(value) < entropy) return undefined;
    if (isSecret?.(value, nameAt(text, at)) === false || isWithinData(text, from, end)) return undefined;
    return { kind: kind.kind, value, end };
  }
  return undefined;
}

/** So much of the same data stands on both sides of what is none but a part of it, in characters. */
const BESIDE = 512;
const OF_DATA = /^(?:[A-Za-z0-9+/]*|[\w-]*)$/;
/** Neither words nor numbers: in so many characters of base64 there is hardly one sign without the other. */
const DATA_SIGNS = /\+.*\/|\/.*\+|-.*_|_.*-/;

/** Whether the middle of a picture, a sound or a file, as base64, only looks like a secret: one in some hundred does. */
function isWithinData(text: string, from: number, to: number): boolean {
  const beside = [text.slice(Math.max(0, from - BESIDE), from), text.slice(to, to + BESIDE)];
  return beside.every((part) => part.length === BESIDE && OF_DATA.test(part) && DATA_SIGNS.test(part));
}

const OF_WORD = characterSet(/\w/);
const BACKSLASH = 92;
const PERCENT = 37;

/**
 * Whether the character before belongs to the same word; one that an escape ends does not: "\nghp_…", "%3Dghp_…".
 * Asked of every keyword within a word: first by what an escape would begin with.
 */
function goesOn(text: string, at: number): boolean {
  if (at === 0 || OF_WORD[text.charCodeAt(at - 1)] !== 1) return false;
  const mayBeEscape =
    text.charCodeAt(at - 2) === BACKSLASH ||
    text.charCodeAt(at - 3) === PERCENT ||
    text.charCodeAt(at - 6) === BACKSLASH;
  return (
    !mayBeEscape || !/(?:\\[nrt]|\\u00[0-9a-f]{2}|%[0-9a-f]{2})$/i.test(text.slice(Math.max(0, at - 6), at))
  );
}

function endOfToken(text: string, from: number): number {
  let end = from;
  while (end < text.length && end - from < LONGEST_TAIL && /[\w-]/.test(text.charAt(end))) end += 1;
  return end;
}

/** The name of which a keyword is a part, up to where its value is assigned. */
function nameAt(text: string, at: number): string {
  const before = /[\w.-]*$/.exec(text.slice(Math.max(0, at - LONGEST_NAME), at))?.[0] ?? "";
  const rest = /^[\w.-]*/.exec(text.slice(at, at + LONGEST_NAME))?.[0] ?? "";
  return before + rest;
}
