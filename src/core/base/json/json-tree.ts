import { wrongArgument } from "../errors.ts";
import { guessStyle, type JsonStyle } from "./json-style.ts";

/**
 * JSON that loses nothing: members keep their order, numbers their digits.
 * Plain `JSON.parse` reorders integer-like names and rounds 9007199254740993.
 */
export type JsonTree = null | boolean | string | JsonNumber | readonly JsonTree[] | JsonObject;

/** A number as it was written, e.g. "1.0" or "9007199254740993". */
export interface JsonNumber {
  readonly number: string;
}

/** Members in the order in which they were written; names are unique. */
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

/** The value under `name`, or undefined where `tree` is no object or has no such member. */
export function member(tree: JsonTree | undefined, name: string): JsonTree | undefined {
  if (tree === undefined || !isJsonObject(tree)) return undefined;
  return tree.members.find(([key]) => key === name)?.[1];
}

/** The JSON pointer (RFC 6901) of a member. */
export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The names and indexes that a JSON pointer leads through. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The tree with other strings, each given with its pointer. */
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

/** Writes a tree in a style; without one as JSON.stringify would, but for numbers, which keep their digits. */
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

/** As JSON.stringify, which takes twice as long for a text without anything to escape. */
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

/** Whether a text is an object or a list exactly as JSON.stringify writes it: then so does `writeJson` without a style. */
export function isPlainJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

/** The style under which `writeJson(tree, style)` is exactly `text`, the text that `tree` was read from; else undefined. */
export function detectStyle(text: string, tree: JsonTree): JsonStyle | undefined {
  if (isPlainJson(text)) return {};
  const style = guessStyle(text);
  return style !== undefined && writeJson(tree, style) === text ? style : undefined;
}

/** The value as JSON.parse would give it: numbers lose what a double cannot hold, members may change places. */
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
  /** What stands before a value on a line of its own, this many levels deep. */
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

/** JSON.stringify does the work; what a style writes otherwise is put in its place afterwards. */
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
 * The one text of a JSON value: two values have the same text exactly where they are the same value.
 * It is RFC 8785 but for numbers that a double does not hold exactly: these keep their digits (see `canonicalNumber`).
 */
export function canonicalJson(tree: JsonTree): string {
  if (typeof tree === "string") return JSON.stringify(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  if (isJsonNumber(tree)) return canonicalNumber(tree.number);
  return isJsonObject(tree) ? canonicalObject(tree) : canonicalArray(tree);
}

// Texts are put together by hand: lists of pieces took twice as long, and each call has its canonical text made twice.

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

/** Numbers that a double and ECMAScript write just so: up to 15 digits, neither tiny nor with zeros to leave out. */
const AS_WRITTEN = /^(?:0|-?(?:[1-9][0-9]{0,14}|(?:0|[1-9][0-9]{0,8})\.[0-9]{0,5}[1-9]))$/;

/**
 * The one spelling of a number, by its exact decimal value: as ECMAScript writes it where that spelling denotes the
 * very same value, else its digits and a power of ten ("9007199254740993e0", "1e400"). Cheap for any exponent.
 */
export function canonicalNumber(lexeme: string): string {
  if (AS_WRITTEN.test(lexeme)) return lexeme;
  const exact = exactDecimal(lexeme);
  const double = Number(lexeme);
  if (!Number.isFinite(double)) return exact;
  const written = String(double === 0 ? 0 : double);
  return exactDecimal(written) === exact ? written : exact;
}

/** Digits without zeros at either end, and the power of ten of the last one. The value zero has no digits and no sign. */
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

/** The written power may have any length, so that it is not read as a double where it has many digits. */
function addToPower(power: string, shift: number): string {
  return power.length < 15
    ? String(Number(power) + shift)
    : String(BigInt(power.replace("+", "")) + BigInt(shift));
}
