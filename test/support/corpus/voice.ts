import { pick, seeded } from "../seeded.ts";

/** Makes texts, numbers, and names from a seed, deterministically. */
export interface Voice {
  /** A whole number, both ends included. */
  count(from: number, to: number): number;
  id(prefix: string): string;
  base64(bytes: number): string;
  sentence(): string;
  /** One to three sentences, now and then with something that is hard to write down. */
  text(): string;
  /** The pieces in which a stream would say a text; they join to it. */
  pieces(text: string): readonly string[];
  /** Arguments of a call: texts, numbers, truths, lists and objects. */
  values(): Readonly<Record<string, unknown>>;
}

const WHO = ["The lighthouse", "A gardener", "My neighbour", "Every clock", "The blue kettle", "Nobody"];
const DOES = ["keeps", "counts", "borrows", "paints", "forgets", "mends"];
const WHAT = ["seven boats", "the long letter", "a bag of seeds", "the northern road", "two umbrellas"];
const WHEN = ["at dawn", "before tea", "in the rain", "on Tuesdays", "without a word", "in 1987"];

/** What breaks careless readers of JSON, of event streams and of text. */
const ODD = [
  "“quotes” – and ‘more’…",
  'a "straight" quote and a back\\slash',
  "naïve café, Ærø, ĳ",
  "灯台は七つの船を数える。",
  "مرحبا بالعالم",
  "👋🏽 and 👩‍👩‍👧, one each",
  "a line\nand another,\r\nand a tab\t.",
  "a stream could say data: [DONE] here",
  "data: {not an event}\n\nevent: message_stop",
  "between\u2028lines\u2029and paragraphs",
  "zero\u200bwidth, bom\ufeff, e\u0301",
  "</script><!-- & % $ # -->",
  "x = {'a': [1, 2.50, -0.0]}",
] as const;

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** @param cut cuts texts for streams; by default, into pieces of up to 12 characters */
export function aVoice(seed: number, cut?: (text: string) => readonly string[]): Voice {
  const random = seeded(seed);
  // Texts stay the same, however streams are cut.
  const cuts = seeded(~seed);
  const count = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const chance = (share: number): boolean => random() < share;
  const one = <T>(choices: readonly [T, ...T[]]): T => pick(random, choices);
  const letters = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[count(0, alphabet.length - 1)]).join("");
  const sentence = (): string =>
    `${one(some(WHO))} ${one(some(DOES))} ${one(some(WHAT))} ${one(some(WHEN))}.`;
  const text = (): string => {
    const sentences = Array.from({ length: count(1, 3) }, sentence);
    if (chance(0.5)) sentences.push(one(ODD));
    return sentences.join(" ");
  };
  return {
    count,
    sentence,
    text,
    id: (prefix) => `${prefix}${letters(LETTERS, 22)}`,
    // Whole groups of three bytes, so that no filling is needed.
    base64: (bytes) => letters(BASE64, Math.ceil(bytes / 3) * 4),
    pieces(whole) {
      if (cut !== undefined) return cut(whole);
      const characters = Array.from(whole);
      const pieces: string[] = [];
      for (let at = 0; at < characters.length;) {
        const size = 1 + Math.floor(cuts() * 12);
        pieces.push(characters.slice(at, at + size).join(""));
        at += size;
      }
      return pieces;
    },
    values: () => ({
      place: one(["Nes", "Port Ellen", "灯台", 'the "old" pier']),
      boats: count(0, 9),
      depth: count(1, 99) / 4,
      ...(chance(0.5) && { tide: { high: chance(0.5), hours: [count(0, 11), count(12, 23)] } }),
      ...(chance(0.3) && { note: null }),
    }),
  };
}

function some<T>(list: readonly T[]): readonly [T, ...T[]] {
  return list as readonly [T, ...T[]];
}
