import { createWrongArgument } from "../errors.ts";
import type { Fields } from "../lenient.ts";
import { guessStyle, SHORT_ESCAPES, type JsonStyle } from "./json-style.ts";

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
export function getMember(tree: JsonTree | undefined, name: string): JsonTree | undefined {
  if (tree === undefined || !isJsonObject(tree)) return undefined;
  return tree.members.find(([key]) => key === name)?.[1];
}

/** Returns the JSON pointer (RFC 6901) of a member. */
export function extendPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Splits a JSON pointer into names and indexes. */
export function splitPointer(pointer: string): readonly string[] {
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
    members: tree.members.map(([name, value]) => [
      name,
      mapStrings(value, extendPointer(pointer, name), map),
    ]),
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
  if (!Array.isArray(tree)) throw createWrongArgument("tree", "JSON as parseJson gives it", tree);
  return (tree as readonly JsonTree[]).map(plainJson);
}

/** Converts from the value of JSON.parse; numbers are written as JSON.stringify writes them. */
export function createJsonTree(value: unknown): JsonTree {
  if (typeof value === "number") return { number: JSON.stringify(value) };
  if (typeof value !== "object") return value as string | boolean;
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(createJsonTree);
  const members: (readonly [string, JsonTree])[] = [];
  for (const name in value) members.push([name, createJsonTree((value as Fields)[name])]);
  return { members };
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
    const unit = found.startsWith("\\") ? (SHORT_ESCAPES[found.charAt(1)] ?? found) : found;
    if (escaped.includes(unit)) return unicode(unit);
    if (found === "/") return "\\/";
    return found.startsWith("\\") ? found : unicode(unit);
  };
  const others =
    Array.from(escaped, unicode).join("") + (slash ? "/" : "") + (ascii ? "\\u0080-\\uffff" : "");
  const special = new RegExp(`\\\\(?:u[0-9a-f]{4}|.)${others === "" ? "" : `|[${others}]`}`, "g");
  return (text) => `"${JSON.stringify(text).slice(1, -1).replace(special, rewrite)}"`;
}
