import { finish, type Steps } from "../steps.ts";
import { withoutPercentEscapes } from "../wire/percent.ts";
import { decodedIn } from "./decoded.ts";
import { isCut, piecesOf, type Piece } from "./pieces.ts";
import { withoutParts, type Scan, type Secret } from "./scanner.ts";
import { isJsonText, literalsIn, type StringLiteral } from "./string-literals.ts";

/** What a text holds. */
export interface FoundSecrets {
  /** Those that stand in it, or in a string of its JSON, as they are. */
  readonly plain: readonly Secret[];
  /** Those that appear once base64, hexadecimal or URL escapes are undone. */
  readonly encoded: readonly Secret[];
}

/** JSON within a string of JSON within …: deeper than this it is text. */
const DEEPEST = 4;

/** Looks for secrets in texts and in whatever they say when their usual encodings are undone. */
export function secretsIn(said: string | readonly string[], scan: Scan): FoundSecrets {
  return finish(searchIn(said, scan));
}

/** The same in steps. */
export function* searchIn(said: string | readonly string[], scan: Scan): Steps<FoundSecrets> {
  const texts = typeof said === "string" ? [said] : said;
  // One look at all of them: the kinds are many, and the texts short.
  const readings = [texts.join("\n")];
  for (const text of texts) readings.push(...(yield* stringsWithin(text, 0)));
  return yield* searchReadings(readings, scan);
}

/** The same for what a text says, in pieces that are looked at one by one. */
export function* searchReadings(readings: readonly string[], scan: Scan): Steps<FoundSecrets> {
  const plain: Secret[] = [];
  const encoded: Secret[] = [];
  for (const reading of readings) {
    let run: number | undefined;
    for (const piece of piecesOf(reading)) {
      plain.push(...scanPiece(piece, scan));
      const decoded = decodedIn(piece, run);
      run = decoded.run;
      for (const text of [...withoutPercents(piece.text), ...decoded.texts])
        for (const one of [text, ...(yield* stringsWithin(text, 0))])
          for (const within of piecesOf(one)) encoded.push(...scanPiece(within, scan));
      if (!piece.isLast) yield;
    }
  }
  const found = withoutParts(unique(plain));
  const known = new Set(plain.map(({ value }) => value));
  return { plain: found, encoded: unique(encoded).filter(({ value }) => !known.has(value)) };
}

function scanPiece(piece: Piece, scan: Scan): readonly Secret[] {
  if (piece.isLast && piece.from === 0) return scan(piece.text);
  // The middle of data, in which no word ends: what it says is read from its encoding.
  if (piece.from > 0 && !piece.isLast && /^[A-Za-z0-9+/=_-]*$/.test(piece.text)) return [];
  return scan(piece.text).filter(({ value }) => !isCut(value, piece));
}

/** All that the strings of a JSON text say (those that are wanted, and all within them), a string a line, and all that JSON within them says. */
export function* stringsWithin(
  text: string,
  depth: number,
  isWanted: (literal: StringLiteral) => boolean = () => true,
): Steps<readonly string[]> {
  if (depth > DEEPEST || !isJsonText(text)) return [];
  const literals = yield* literalsIn(text);
  if (literals === undefined) return [];
  const values = literals.filter(isWanted).map(({ value }) => value);
  const within: string[] = [values.join("\n")];
  for (const value of values) within.push(...(yield* stringsWithin(value, depth + 1)));
  return within;
}

function withoutPercents(text: string): readonly string[] {
  return text.includes("%") && /%[0-9a-fA-F]{2}/.test(text) ? [withoutPercentEscapes(text)] : [];
}

export function unique(secrets: readonly Secret[]): readonly Secret[] {
  return [...new Map(secrets.map((secret) => [secret.value, secret])).values()];
}
