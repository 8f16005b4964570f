/** Characters of one sort, by their codes; what is not ASCII belongs to none. */
export type CharacterSet = Uint8Array;

/** The set of all characters that a class of a regular expression takes. */
export function characterSet(isIn: RegExp): CharacterSet {
  return Uint8Array.from({ length: 128 }, (_, code) => (isIn.test(String.fromCharCode(code)) ? 1 : 0));
}

/** A part of a text that has characters of one set only, and no such one before or behind it. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/**
 * The runs of `least` characters and more, in order. A regular expression would try from every character of every
 * word; this looks at one in `least` characters, and closer only where that one belongs.
 */
export function* runsIn(text: string, set: CharacterSet, least: number): Generator<Run> {
  let start = 0;
  for (let last = least - 1; last < text.length; last = start + least - 1) {
    let from = last + 1;
    while (from > start && set[text.charCodeAt(from - 1)] === 1) from -= 1;
    if (from > start) {
      // The one before `from` does not belong: the next run begins behind it at the earliest.
      start = from;
      continue;
    }
    let to = last + 1;
    while (to < text.length && set[text.charCodeAt(to)] === 1) to += 1;
    yield { from, to };
    start = to;
  }
}
