import { LONGEST_KEY } from "./private-keys.ts";

/** A part of a text that is looked at at once. */
export interface Piece {
  readonly text: string;
  /** Where in the whole text it begins. */
  readonly from: number;
  readonly isLast: boolean;
}

const LENGTH = 131_072;
/** What begins in one piece ends in it or stands whole in the next: nothing that is looked for is longer. */
const OVERLAP = LONGEST_KEY + 8_192;

/** A text in pieces that overlap; a short one is a piece by itself. */
export function* piecesOf(text: string): Generator<Piece> {
  let from = 0;
  for (; text.length - from > LENGTH; from += LENGTH - OVERLAP)
    yield { text: text.slice(from, from + LENGTH), from, isLast: false };
  yield { text: from === 0 ? text : text.slice(from), from, isLast: true };
}

/** What stands this close to where a piece begins has its beginning, or what is before it, in the piece before. */
const EDGE = 64;

/** Whether a value that was found in a piece is cut, or may be: then the piece before or behind has it whole. */
export function isCut(value: string, { text, from, isLast }: Piece): boolean {
  return (
    (from > 0 && text.lastIndexOf(value) < EDGE) ||
    (!isLast && text.indexOf(value) === text.length - value.length)
  );
}
