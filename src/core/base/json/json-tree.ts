import { wrongArgument } from "../errors.ts";
import { guessStyle, type JsonStyle } from "./json-style.ts";

/**
 * Lossless JSON: members keep their order, numbers their digits.
 * `JSON.parse` reorders integer-like names and rounds 9007199254740993.
 */
export type JsonTree = null | boolean | string | JsonNumber | readonly JsonTree[] | JsonObject;

/** A number as it was written, e.g. "1.0" or "9007199254740993". */
export interface JsonNumber {
  readonly number: string;
}

/** Members in the order of the text; names are unique. */
export interface JsonObject {
  readonly members: readonly (readonly [name: string, value: JsonTree])[];
}

export function isJsonNumber(tree: JsonTree): tree is JsonNumber {
  return typeof tree === "object" && tree !== null && "number" in tree;
}

export function isJsonObject(tree: JsonTree): tree is JsonObject {
  return typeof tree === "object" && tree !== null && "members" in tree;
}

export const isJsonArray = (tree: JsonTree): tree is readonly JsonTree[] => Array.isArray(tree);

/** Returns the member `name`, or undefined if `tree` is not an object or does not have it. */
export function member(tree: JsonTree | undefined, name: string): JsonTree | undefined {
  if (tree === undefined || !isJsonObject(tree)) return undefined;
  return tree.members.find(([key]) => key === name)?.[1];
}

/** Returns the JSON pointer (RFC 6901) of a member. */
export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Splits a JSON pointer into names and indexes. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the tree with each string replaced by the result of `map`. */
export function mapStrings(
  tree: JsonTree,
  pointer: string,
  map: (pointer: string, text: string) => string,
): JsonTree {
  if (typeof tree === "string") return map(pointer, tree);
  if (isJsonArray(tree)) return tree.map((value, index) => mapStrings(value, `${pointer}/${index}`, map));
  if (!isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([name, value]) => [name, mapStrings(value, pointerTo(pointer, name), map)]),
  };
}

/** Writes a tree in a style. The default is that of JSON.stringify, except that numbers keep their digits. */
export function writeJson(tree: JsonTree, style?: JsonStyle): string {
  return style === undefined ? writePlain(tree) : writeStyled(tree, style);
}

function writePlain(tree: JsonTree): string {
  if (typeof tree === "string") return quote(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  if (isJsonNumber(tree)) return tree.number;
  let text = "";
  if (isJsonObject(tree)) {
    for (const [name, value] of tree.members)
      text += `${text === "" ? "{" : ","}${quote(name)}:${writePlain(value)}`;
    return text === "" ? "{}" : `${text}}`;
  }
  for (const element of tree) text += (text === "" ? "[" : ",") + writePlain(element);
  return text === "" ? "[]" : `${text}]`;
}

const NOTHING_ESCAPED = /^[ !#-[\]-~]*$/;

/** Quotes like JSON.stringify, which takes twice as long for a text without escapes. */
const quote = (text: string): string => (NOTHING_ESCAPED.test(text) ? `"${text}"` : JSON.stringify(text));

function writeStyled(tree: JsonTree, style: JsonStyle): string {
  const newline = style.newline ?? "\n";
  const writer: Writer = {
    quote: quoter(style),
    colon: style.colon ?? ":",
    comma: style.comma ?? ",",
    breakAt(level) {
      if (style.indent === undefined) return "";
      return newline + (style.indent === "\t" ? "\t".repeat(level) : " ".repeat(style.indent * level));
    },
  };
  return (style.head ?? "") + writeValue(tree, writer, 0) + (style.tail ?? "");
}

/** Whether a text is an object or a list exactly as JSON.stringify, and `writeJson` without a style, write it. */
export function isPlainJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

/** Returns the style for which `writeJson(tree, style)` is exactly `text`, the source of `tree`; undefined if there is none. */
export function detectStyle(text: string, tree: JsonTree): JsonStyle | undefined {
  if (isPlainJson(text)) return {};
  const style = guessStyle(text);
  return style !== undefined && writeJson(tree, style) === text ? style : undefined;
}

/** Converts to the value of JSON.parse: numbers are rounded to doubles, members may be reordered. */
export function plainJson(tree: JsonTree): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (isJsonNumber(tree)) return Number(tree.number);
  if (isJsonObject(tree))
    return Object.fromEntries(tree.members.map(([name, value]) => [name, plainJson(value)]));
  if (!Array.isArray(tree)) throw wrongArgument("tree", "JSON as parseJson gives it", tree);
  return (tree as readonly JsonTree[]).map(plainJson);
}

interface Writer {
  readonly quote: (text: string) => string;
  readonly colon: string;
  readonly comma: string;
  /** Returns the line break and indent before a value at this level. */
  readonly breakAt: (level: number) => string;
}

function writeValue(tree: JsonTree, writer: Writer, level: number): string {
  if (typeof tree === "string") return writer.quote(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  if (isJsonNumber(tree)) return tree.number;
  if (isJsonObject(tree)) {
    const members = tree.members.map(
      ([name, value]) => writer.quote(name) + writer.colon + writeValue(value, writer, level + 1),
    );
    return members.length === 0 ? "{}" : `{${lines(members, writer, level)}}`;
  }
  if (tree.length === 0) return "[]";
  const elements = tree.map((element) => writeValue(element, writer, level + 1));
  return `[${lines(elements, writer, level)}]`;
}

function lines(pieces: readonly string[], writer: Writer, level: number): string {
  const begin = writer.breakAt(level + 1);
  return begin + pieces.join(writer.comma + begin) + writer.breakAt(level);
}

/** Makes a function that quotes with JSON.stringify, and then replaces the escapes that the style writes differently. */
function quoter(style: JsonStyle): (text: string) => string {
  const { ascii, escaped = "", slash, hex } = style;
  if (ascii === undefined && escaped === "" && slash === undefined && hex === undefined)
    return JSON.stringify;
  const unicode = (unit: string): string => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${hex === "upper" ? digits.toUpperCase() : digits}`;
  };
  const rewrite = (found: string): string => {
    if (found.startsWith("\\u")) return unicode(String.fromCharCode(Number.parseInt(found.slice(2), 16)));
    const unit = found.startsWith("\\") ? (SHORT.get(found) ?? found) : found;
    if (escaped.includes(unit)) return unicode(unit);
    if (found === "/") return "\\/";
    return found.startsWith("\\") ? found : unicode(unit);
  };
  const others =
    Array.from(escaped, unicode).join("") + (slash ? "/" : "") + (ascii ? "\\u0080-\\uffff" : "");
  const special = new RegExp(`\\\\(?:u[0-9a-f]{4}|.)${others === "" ? "" : `|[${others}]`}`, "g");
  return (text) => `"${JSON.stringify(text).slice(1, -1).replace(special, rewrite)}"`;
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ["\\\\", "\\"],
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
]);

/**
 * Returns the canonical text of a JSON value: two values have the same text exactly if they are equal.
 * It follows RFC 8785, except that numbers that are not exact doubles keep their digits (see `canonicalNumber`).
 */
export function canonicalJson(tree: JsonTree): string {
  if (typeof tree === "string") return JSON.stringify(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  if (isJsonNumber(tree)) return canonicalNumber(tree.number);
  return isJsonObject(tree) ? canonicalObject(tree) : canonicalArray(tree);
}

// Texts are concatenated, because joining lists of pieces took twice as long, and each call needs two canonical texts.

function canonicalArray(elements: readonly JsonTree[]): string {
  let text = "[";
  for (const element of elements) text += (text === "[" ? "" : ",") + canonicalJson(element);
  return `${text}]`;
}

function canonicalObject({ members }: JsonObject): string {
  let text = "{";
  for (const [name, value] of members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(value)}`;
  return `${text}}`;
}

/** Numbers that ECMAScript writes unchanged: up to 15 digits, not tiny, without superfluous zeros. */
const AS_WRITTEN = /^(?:0|-?(?:[1-9][0-9]{0,14}|(?:0|[1-9][0-9]{0,8})\.[0-9]{0,5}[1-9]))$/;

/**
 * Returns the canonical spelling of a number by its exact decimal value. It is ECMAScript's if that is the same value,
 * otherwise the digits and a power of ten ("9007199254740993e0", "1e400"). Takes the same time for any exponent.
 */
export function canonicalNumber(lexeme: string): string {
  if (AS_WRITTEN.test(lexeme)) return lexeme;
  const exact = exactDecimal(lexeme);
  const double = Number(lexeme);
  if (!Number.isFinite(double)) return exact;
  const written = String(double === 0 ? 0 : double);
  return exactDecimal(written) === exact ? written : exact;
}

/** Returns the digits without zeros at either end, and the power of ten of the last one. Zero is "0". */
function exactDecimal(lexeme: string): string {
  const [mantissa = "", power = "0"] = lexeme.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charAt(start) === "0") start += 1;
  while (end > start && digits.charAt(end - 1) === "0") end -= 1;
  if (start === end) return "0";
  const shift = digits.length - end - fraction.length;
  const sign = mantissa.startsWith("-") ? "-" : "";
  return `${sign}${digits.slice(start, end)}e${addToPower(power, shift)}`;
}

/** Adds with BigInt if the power has many digits, because it can have any length. */
function addToPower(power: string, shift: number): string {
  return power.length < 15
    ? String(Number(power) + shift)
    : String(BigInt(power.replace("+", "")) + BigInt(shift));
}
