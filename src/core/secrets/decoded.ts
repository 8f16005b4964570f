import type { Piece } from "./pieces.ts";
import { characterSet, runsIn } from "./runs.ts";

/** What encodings within a piece of a text stand for. */
export interface Decoded {
  readonly texts: readonly string[];
  /** Where in the whole text base64 began that goes on behind the piece. */
  readonly run: number | undefined;
}

/** Shorter base64 holds nothing that is looked for. */
const SHORTEST_BASE64 = 24;
const BASE64 = characterSet(/[A-Za-z0-9+/_-]/);
const SHORTEST_HEX = 32;
const HEX = [characterSet(/[0-9a-f]/), characterSet(/[0-9A-F]/)] as const;
/** Longer runs begin where they say: data of a picture does not lie behind a word. */
const SHIFTED = 65_536;
/** What is text among what was encoded. */
const PRINTABLE = /[\t\n\r\x20-\x7e]{16,}/g;

/** Undoes base64 and hexadecimal, at any offset. `run`: where base64 began that goes on from the piece before. */
export function decodedIn({ text, from, isLast }: Piece, run?: number): Decoded {
  const readable: string[] = [];
  let goingOn: number | undefined;
  for (const { from: index, to } of runsIn(text, BASE64, SHORTEST_BASE64)) {
    const match = text.slice(index, to);
    const isContinued = index === 0 && run !== undefined;
    const begun = isContinued ? run : from + index;
    if (!isLast && index + match.length === text.length) goingOn = begun;
    const plain = match.replaceAll("-", "+").replaceAll("_", "/");
    const ownShift = (4 - ((from + index - begun) % 4)) % 4;
    const shifts = isContinued || match.length > SHIFTED ? [ownShift] : [0, 1, 2, 3];
    for (const shift of shifts) {
      const cut = plain.slice(shift);
      readable.push(...readableIn(atob(cut.length % 4 === 1 ? cut.slice(0, -1) : cut)));
    }
  }
  return { texts: [...joinTexts(readable), ...joinTexts(fromHex(text))], run: goingOn };
}

function fromHex(text: string): readonly string[] {
  const readable: string[] = [];
  const runs = HEX.flatMap((digits) => [...runsIn(text, digits, SHORTEST_HEX)]);
  for (const { from, to } of runs) {
    const digits = text.slice(from, to);
    for (const shift of [0, 1]) {
      const codes: number[] = [];
      for (let at = shift; at + 1 < digits.length; at += 2)
        codes.push(Number.parseInt(digits.slice(at, at + 2), 16));
      readable.push(...readableIn(textOfCodes(codes)));
    }
  }
  return readable;
}

/** In portions, since there is an end to how many arguments a function takes. */
function textOfCodes(codes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < codes.length; at += 4_096)
    text += String.fromCharCode(...codes.slice(at, at + 4_096));
  return text;
}

const readableIn = (decoded: string): readonly string[] => decoded.match(PRINTABLE) ?? [];

function joinTexts(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [texts.join("\n")];
}
