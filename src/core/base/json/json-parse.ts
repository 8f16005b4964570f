import { localize } from "../localize.ts";
import { SHORT_ESCAPES } from "./json-style.ts";
import type { JsonObject, JsonTree } from "./json-tree.ts";

/** Maximum nesting of arrays and objects. */
export const MAX_DEPTH = 512;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const MINUS = 45;
const SLASH = 47;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

interface Reader {
  readonly text: string;
  /** Whether comments and trailing commas are allowed. */
  readonly hasComments: boolean;
  readonly maxDepth: number;
  /** The depth of arrays whose elements are checked, and kept as their text. */
  readonly textDepth?: number;
  at: number;
}

/**
 * Reads strict JSON (RFC 8259) and keeps the order of members, the digits of numbers and lone surrogates.
 * A duplicate name in an object is a fault, because parsers disagree about its value.
 * @throws JsonFault also for a byte order mark and for nesting deeper than `MAX_DEPTH`.
 */
export function parseJson(text: string): JsonTree {
  return readText({ text, hasComments: false, maxDepth: MAX_DEPTH, at: 0 });
}

/**
 * Reads JSON as `tryParseJson` does, but keeps the elements of arrays at this depth as their text. The root has depth 1.
 * The tree of a long list takes several times the memory of its text.
 */
export function tryParseJsonOutline(text: string, textDepth: number): JsonTree | undefined {
  return tryRead({ text, hasComments: false, maxDepth: MAX_DEPTH, textDepth, at: 0 });
}

/**
 * Reads the JSON of a body in UTF-8; undefined if it is none. The body of a call is read for its key, its label, its
 * recording, and its facts, so its tree is kept as long as its bytes are. Large bodies are read again instead.
 */
export function parseJsonBytes(body: Uint8Array): JsonTree | undefined {
  const known = trees.get(body);
  if (known !== undefined) return known;
  try {
    const tree = parseJson(strictUtf8.decode(body));
    keepTree(body, tree);
    return tree;
  } catch {
    return undefined;
  }
}

/** Keeps the tree from which a body was written, so that `parseJsonBytes` need not read the body. */
export function keepTree(body: Uint8Array, tree: JsonTree): void {
  if (body.byteLength <= LARGE_BODY) trees.set(body, tree);
}

const LARGE_BODY = 1_048_576;
const trees = new WeakMap<Uint8Array, JsonTree>();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a file that people edit: with comments and trailing commas, nested as deep as the stack allows.
 * @throws JsonFault, RangeError
 */
export function parseJsonc(text: string): JsonTree {
  return readText({ text, hasComments: true, maxDepth: Infinity, at: 0 });
}

function readText(reader: Reader): JsonTree {
  const { text } = reader;
  skipSpace(reader);
  if (reader.at === text.length)
    throw fault(reader, text === "" ? localize("the text is empty") : localize("the text is blank"));
  const tree = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) throw fault(reader, localize("something follows the end of the value"));
  return tree;
}

/** Reads JSON as `parseJson` does; returns undefined for invalid JSON. */
export function tryParseJson(text: string): JsonTree | undefined {
  return tryRead({ text, hasComments: false, maxDepth: MAX_DEPTH, at: 0 });
}

function tryRead(reader: Reader): JsonTree | undefined {
  try {
    return readText(reader);
  } catch (error) {
    if (isJsonFault(error)) return undefined;
    throw error;
  }
}

function readValue(reader: Reader, depth: number): JsonTree {
  const unit = reader.text.charCodeAt(reader.at);
  if (unit === QUOTE) return readString(reader);
  if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
    if (depth === reader.maxDepth)
      throw fault(reader, localize("the nesting is deeper than {0} levels", MAX_DEPTH));
    return unit === OPEN_OBJECT ? readObject(reader, depth + 1) : readArray(reader, depth + 1);
  }
  if (unit === MINUS || isDigit(unit)) return readNumber(reader);
  return readWord(reader);
}

function readObject(reader: Reader, depth: number): JsonObject {
  const members: (readonly [string, JsonTree])[] = [];
  let names: Set<string> | undefined;
  reader.at += 1;
  skipSpace(reader);
  if (take(reader, CLOSE_OBJECT)) return { members };
  for (;;) {
    const start = reader.at;
    if (reader.text.charCodeAt(start) !== QUOTE)
      throw fault(reader, localize("a member's name in quotes is missing"));
    const name = readString(reader);
    if (members.length === FEW) names = new Set(members.map(([other]) => other));
    if (names === undefined ? isAmong(members, name) : names.size === names.add(name).size)
      throw createJsonFault(localize("the member {0} appears twice", quoteName(name)), reader.text, start);
    skipSpace(reader);
    if (!take(reader, COLON)) throw fault(reader, localize('a ":" is missing'));
    skipSpace(reader);
    members.push([name, readValue(reader, depth)]);
    skipSpace(reader);
    if (take(reader, CLOSE_OBJECT)) return { members };
    if (!take(reader, COMMA)) throw fault(reader, localize('a "," or "}" is missing'));
    skipSpace(reader);
    if (reader.hasComments && take(reader, CLOSE_OBJECT)) return { members };
  }
}

/** Number of names up to which they are compared one by one. */
const FEW = 16;

function isAmong(members: JsonObject["members"], name: string): boolean {
  for (const [other] of members) if (other === name) return true;
  return false;
}

function readArray(reader: Reader, depth: number): JsonTree {
  const elements: JsonTree[] = [];
  reader.at += 1;
  skipSpace(reader);
  if (take(reader, CLOSE_ARRAY)) return elements;
  for (;;) {
    const start = reader.at;
    const element = readValue(reader, depth);
    elements.push(depth === reader.textDepth ? reader.text.slice(start, reader.at) : element);
    skipSpace(reader);
    if (take(reader, CLOSE_ARRAY)) return elements;
    if (!take(reader, COMMA)) throw fault(reader, localize('a "," or "]" is missing'));
    skipSpace(reader);
    if (reader.hasComments && take(reader, CLOSE_ARRAY)) return elements;
  }
}

function readString(reader: Reader): string {
  const { text } = reader;
  let plain = "";
  let start = reader.at + 1;
  for (;;) {
    const end = endOfPlain(text, start, plain === "");
    const unit = text.charCodeAt(end);
    const piece = text.slice(start, end);
    if (unit === QUOTE) {
      reader.at = end + 1;
      return plain === "" ? piece : plain + piece;
    }
    reader.at = end;
    if (end === text.length) throw fault(reader, localize("the text ends inside a string"));
    if (unit !== BACKSLASH) throw fault(reader, localize("a control character in a string is not escaped"));
    plain += piece + readEscape(reader);
    start = reader.at;
  }
}

/**
 * Returns the end of a run of unescaped characters. Strings can be megabytes long, such as audio. A long run that is
 * probably a whole string is searched for its closing quote, which takes a third of the time of a pattern.
 */
function endOfPlain(text: string, start: number, isWhole: boolean): number {
  const near = Math.min(text.length, start + 256);
  for (let at = start; at < near; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH || unit < 32) return at;
  }
  const end = isWhole ? text.indexOf('"', near) : -1;
  const run = text.slice(near, Math.max(near, end));
  if (end >= 0 && !run.includes("\\") && !CONTROL.test(run)) return end;
  NOT_PLAIN.lastIndex = near;
  return NOT_PLAIN.exec(text)?.index ?? text.length;
}

// oxlint-disable-next-line no-control-regex -- JSON forbids control characters in strings
const CONTROL = /[\u0000-\u001f]/;
/** Ends a run of plain characters: the closing quote, an escape, or a character that JSON forbids in strings. */
// oxlint-disable-next-line no-control-regex -- JSON forbids control characters in strings
const NOT_PLAIN = /["\\\u0000-\u001f]/g;

function readEscape(reader: Reader): string {
  const { text, at } = reader;
  const letter = text.charAt(at + 1);
  if (letter === "u") {
    const digits = text.slice(at + 2, at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits))
      throw fault(reader, localize('four hexadecimal digits are missing after "\\u"'));
    reader.at = at + 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
  const character = SHORT_ESCAPES[letter];
  if (character === undefined) throw fault(reader, localize("a string contains an invalid escape sequence"));
  reader.at = at + 2;
  return character;
}

function readNumber(reader: Reader): JsonTree {
  const { text, at } = reader;
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) throw fault(reader, localize("a digit is missing"));
  reader.at = at + number.length;
  const next = text.charCodeAt(reader.at);
  if (isDigit(next)) throw createJsonFault(localize("a number begins with 0"), text, at);
  if (next === 46 || next === 69 || next === 101)
    throw fault(reader, localize("a digit is missing in a number"));
  return { number };
}

function readWord(reader: Reader): JsonTree {
  const { text, at } = reader;
  for (const [word, value] of [
    ["true", true],
    ["false", false],
    ["null", null],
  ] as const) {
    if (!text.startsWith(word, at)) continue;
    reader.at = at + word.length;
    return value;
  }
  if (at === text.length) throw fault(reader, localize("the text ends where a value is missing"));
  if (text.charCodeAt(at) === 0xfeff) throw fault(reader, localize("a byte order mark precedes the value"));
  throw fault(reader, localize("a value is missing"));
}

function skipSpace(reader: Reader): void {
  const next = reader.text.charCodeAt(reader.at);
  if (next > 32 && next !== SLASH) return;
  const { text } = reader;
  let { at } = reader;
  for (;;) {
    let unit = text.charCodeAt(at);
    while (unit === 32 || unit === 10 || unit === 13 || unit === 9) unit = text.charCodeAt((at += 1));
    reader.at = at;
    if (unit !== SLASH || !reader.hasComments || !skipComment(reader)) return;
    ({ at } = reader);
  }
}

const COMMENT = /\/\/[^\r\n]*|\/\*[^]*?\*\//y;

function skipComment(reader: Reader): boolean {
  COMMENT.lastIndex = reader.at;
  const length = COMMENT.exec(reader.text)?.[0].length ?? 0;
  reader.at += length;
  return length > 0;
}

function take(reader: Reader, unit: number): boolean {
  if (reader.text.charCodeAt(reader.at) !== unit) return false;
  reader.at += 1;
  return true;
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

const quoteName = (name: string): string => JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);

const fault = (reader: Reader, reason: string): JsonFault => createJsonFault(reason, reader.text, reader.at);

const MARKER = Symbol.for("llm-tapedeck.json-fault");

/** Reason and place at which a text is not JSON. `message` ends with the position, `reason` omits it. */
export interface JsonFault extends Error {
  readonly reason: string;
  /** 0-based, in UTF-16 code units. */
  readonly offset: number;
  /** 1-based; lines end with LF, CR, or CRLF. */
  readonly line: number;
  /** 1-based, in UTF-16 code units, as editors count. */
  readonly column: number;
}

/** Distinguishes a fault in a text from a bug. */
export function isJsonFault(value: unknown): value is JsonFault {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Makes a fault at `offset` of `text`. */
export function createJsonFault(reason: string, text: string, offset: number): JsonFault {
  const { line, column } = lineAndColumn(text, offset);
  const error = new Error(localize("{0} at line {1}, column {2}", reason, line, column));
  error.name = "JsonFault";
  return Object.assign(error, { [MARKER]: true, reason, offset, line, column });
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at += 1) {
    const unit = text.charCodeAt(at);
    const endsLine = unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10);
    if (!endsLine) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
