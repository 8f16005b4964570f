import { SHORT_ESCAPES } from "../../core/base/json/json-style.ts";
import { countCodePoints } from "../code-points.ts";
import { parsePythonNumber } from "../python/value.ts";

/**
 * Reads JSON like Python's `json.loads`, with its error messages. In addition to strict JSON, accepts NaN and the
 * infinities, and with `strict: false` raw control characters in strings. The last value of a duplicate name wins.
 * With `lossless`, numbers are those of `parsePython`: 1.0 is a float.
 * Source: CPython 3.11, Lib/json/decoder.py and scanner.py (behavior), 2026-11.
 */
export function parsePythonJson(
  text: string,
  { strict = true, lossless = false }: { readonly strict?: boolean; readonly lossless?: boolean } = {},
): unknown {
  if (text.startsWith("\ufeff")) throw fault("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0);
  const reader: Reader = { text, strict, lossless, at: 0, depth: 0 };
  skipBlanks(reader);
  const value = readValue(reader);
  skipBlanks(reader);
  if (reader.at < text.length) throw fault("Extra data", text, reader.at);
  return value;
}

/** Reads JSON like `parsePythonJson`; returns undefined for invalid JSON. */
export function readPythonJson(...given: Parameters<typeof parsePythonJson>): unknown {
  try {
    return parsePythonJson(...given);
  } catch {
    return undefined;
  }
}

interface Reader {
  readonly text: string;
  readonly strict: boolean;
  readonly lossless: boolean;
  at: number;
  depth: number;
}

/** The engine's maximum nesting of requests. */
const MAX_DEPTH = 512;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANKS = /[ \t\n\r]*/y;
const WORDS: readonly (readonly [word: string, value: unknown])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
];

function readValue(reader: Reader): unknown {
  const { text, at } = reader;
  const first = text[at];
  if (first === '"') return readText(reader);
  if (first === "{") return readNested(reader, readObject);
  if (first === "[") return readNested(reader, readArray);
  const word = WORDS.find(([spelled]) => text.startsWith(spelled, at));
  if (word !== undefined) {
    reader.at += word[0].length;
    return word[1];
  }
  NUMBER.lastIndex = at;
  const [digits] = NUMBER.exec(text) ?? [];
  if (digits === undefined) throw fault("Expecting value", text, at);
  reader.at += digits.length;
  return reader.lossless ? parsePythonNumber(digits) : Number(digits);
}

function readNested(reader: Reader, read: (reader: Reader) => unknown): unknown {
  if (reader.depth >= MAX_DEPTH) throw fault("Nested too deeply", reader.text, reader.at);
  reader.depth += 1;
  reader.at += 1;
  const value = read(reader);
  reader.depth -= 1;
  return value;
}

function readObject(reader: Reader): Record<string, unknown> {
  const members: [string, unknown][] = [];
  readList(reader, "}", () => {
    if (reader.text[reader.at] !== '"')
      throw fault("Expecting property name enclosed in double quotes", reader.text, reader.at);
    const name = readText(reader);
    if (!takes(reader, ":")) throw fault("Expecting ':' delimiter", reader.text, reader.at);
    members.push([name, readValue(reader)]);
  });
  return Object.fromEntries(members);
}

function readArray(reader: Reader): unknown[] {
  const items: unknown[] = [];
  readList(reader, "]", () => items.push(readValue(reader)));
  return items;
}

function readList(reader: Reader, end: string, readOne: () => void): void {
  if (takes(reader, end)) return;
  for (;;) {
    readOne();
    if (takes(reader, end)) return;
    if (!takes(reader, ",")) throw fault("Expecting ',' delimiter", reader.text, reader.at);
  }
}

/** Skips white space, and a character with the white space after it if it is next. */
function takes(reader: Reader, character: string): boolean {
  skipBlanks(reader);
  if (reader.text[reader.at] !== character) return false;
  reader.at += 1;
  skipBlanks(reader);
  return true;
}

function readText(reader: Reader): string {
  const { text, strict } = reader;
  const begin = reader.at;
  let value = "";
  for (let at = begin + 1; ;) {
    const character = text[at];
    const escape = character === "\\" ? text[at + 1] : "";
    if (character === undefined || escape === undefined)
      throw fault("Unterminated string starting at", text, begin);
    if (character === '"') {
      reader.at = at + 1;
      return value;
    }
    if (escape === "u") {
      const hex = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw fault(String.raw`Invalid \uXXXX escape`, text, at + 1);
      value += String.fromCharCode(Number.parseInt(hex, 16));
      at += 6;
      continue;
    }
    if (strict && character < " ") throw fault("Invalid control character at", text, at);
    const plain = escape === "" ? character : SHORT_ESCAPES[escape];
    if (plain === undefined) throw fault(String.raw`Invalid \escape`, text, at);
    value += plain;
    at += escape === "" ? 1 : 2;
  }
}

function skipBlanks(reader: Reader): void {
  BLANKS.lastIndex = reader.at;
  BLANKS.test(reader.text);
  reader.at = BLANKS.lastIndex;
}

/** Makes the error with a position in code points, and 1-based line and column, as in Python. */
function fault(what: string, text: string, at: number): SyntaxError {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = countCodePoints(before.slice(before.lastIndexOf("\n") + 1)) + 1;
  return new SyntaxError(`${what}: line ${line} column ${column} (char ${countCodePoints(before)})`);
}
