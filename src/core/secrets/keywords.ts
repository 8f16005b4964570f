import type { Scan, Secret } from "./scanner.ts";

/** Finds secrets of some kinds: it looks closer only where one of its words stands. */
export interface Rule {
  /** In lower case, of ASCII, and of three characters or more. */
  readonly words: readonly string[];
  /** Begins with a text. */
  look(text: string): Look;
}

/** One look of a rule at a text. */
export interface Look {
  /** Told of each place where a word stands, by its index among the rule's, in the order of the text. */
  at(word: number, index: number): void;
  /** What it found in the end. */
  secrets(): readonly Secret[];
}

/** All rules together, with one pass over a text. What the first one finds comes first. */
export function inOnePass(rules: readonly Rule[]): Scan {
  const places = rules.flatMap(({ words }, rule) => words.map((_, word) => ({ rule, word })));
  let search: KeywordSearch | undefined;
  return (text) => {
    search ??= createKeywordSearch(rules.flatMap(({ words }) => words));
    const looks = rules.map((rule) => rule.look(text));
    search(text, (index, at) => {
      const place = places[index];
      if (place !== undefined) looks[place.rule]?.at(place.word, at);
    });
    return looks.flatMap((look) => look.secrets());
  };
}

/** Tells of each place where a word stands, in any case: which one, and at which index. */
type KeywordSearch = (text: string, found: (word: number, at: number) => void) => void;

/** As many places as the hashes of three characters have. */
const SIZE = 1 << 15;
const STEP = 32;

/**
 * Looks for many words at once, in one pass over a text: two hundred searches for one word each would take fifty times
 * as long.
 */
function createKeywordSearch(words: readonly string[]): KeywordSearch {
  const beginnings: { readonly word: string; readonly index: number }[][] = [[]];
  /** By hash, which of the beginnings it may be; 0 for none. */
  const beginningOf = new Uint16Array(SIZE);
  words.forEach((word, index) => {
    const hash = [0, 1, 2].reduce((sum, at) => (sum * STEP + fold(word.charCodeAt(at))) & (SIZE - 1), 0);
    const known = beginningOf[hash] ?? 0;
    if (known === 0) beginningOf[hash] = beginnings.push([{ word, index }]) - 1;
    else beginnings[known]?.push({ word, index });
  });
  return (text, found) => {
    const { length } = text;
    let hash = 0;
    for (let at = 0; at < length; at += 1) {
      hash = (hash * STEP + fold(text.charCodeAt(at))) & (SIZE - 1);
      const begun = beginningOf[hash] ?? 0;
      if (begun === 0 || at < 2) continue;
      const from = at - 2;
      for (const { word, index } of beginnings[begun] ?? [])
        if (standsAt(text, from, word)) found(index, from);
    }
  };
}

/** A letter in lower case; what is none is mixed up, which a comparison tells. */
const fold = (code: number): number => code | 32;

function standsAt(text: string, from: number, word: string): boolean {
  if (from + word.length > text.length) return false;
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(from + at);
    const lower = code >= 65 && code <= 90 ? code + 32 : code;
    if (lower !== word.charCodeAt(at)) return false;
  }
  return true;
}
