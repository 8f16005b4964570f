import { invalid } from "../errors.ts";

/**
 * How a text is cut into the pieces of a stream: not at all, after each word, into pieces of so many characters (code
 * points), or into pieces of random length, from 1 to 8 characters.
 */
export type TextPieces = "whole" | "words" | "random" | { readonly characters: number };

/** The pieces, which joined always give the text again; an empty text is one empty piece. */
export function splitText(text: string, pieces: TextPieces, random: () => number): readonly string[] {
  if (pieces === "whole" || text === "") return [text];
  if (pieces === "words") return text.match(/\s*\S+|\s+/gu) ?? [text];
  const characters = Array.from(text);
  const cut: string[] = [];
  while (characters.length > 0) cut.push(characters.splice(0, lengthOf(pieces, random)).join(""));
  return cut;
}

function lengthOf(pieces: "random" | { readonly characters: number }, random: () => number): number {
  if (pieces === "random") return 1 + Math.floor(random() * 8);
  if (Number.isSafeInteger(pieces.characters) && pieces.characters > 0) return pieces.characters;
  throw invalid("pieces.characters", `a whole number from 1 on is expected, got ${pieces.characters}`);
}
