import { unicodeEscape } from "../wire/text.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree, writeJson } from "../json/json-tree.ts";

/**
 * The text of a recording's file: two spaces a level, a final newline, and on one line what reads best so:
 * an event, a style, lists of numbers and of short names.
 */
export const fileText = (file: JsonTree): string => `${block(file, [])}\n`;

/** A value on one line, with blanks where a person would put them. */
function line(tree: JsonTree): string {
  if (isJsonArray(tree)) return `[${tree.map(line).join(", ")}]`;
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) {
    const members = tree.members.map(([name, value]) => `${quote(name)}: ${line(value)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return scalar(tree);
}

/** An event: as the provider would write it, since there are many and long ones. */
function tight(tree: JsonTree): string {
  if (isJsonArray(tree)) return `[${tree.map(tight).join(",")}]`;
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) {
    return `{${tree.members.map(([name, value]) => `${quote(name)}:${tight(value)}`).join(",")}}`;
  }
  return scalar(tree);
}

function block(tree: JsonTree, path: readonly string[]): string {
  if (path[0] === "reply" && path[1] === "events" && path.length === 3) return tight(tree);
  if (fitsOneLine(tree, path)) return line(tree);
  const indent = "  ".repeat(path.length + 1);
  const close = "  ".repeat(path.length);
  if (isJsonArray(tree)) {
    if (tree.length === 0) return "[]";
    const elements = tree.map((element, index) => indent + block(element, [...path, String(index)]));
    return `[\n${elements.join(",\n")}\n${close}]`;
  }
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) {
    if (tree.members.length === 0) return "{}";
    const members = tree.members.map(
      ([name, value]) => `${indent}${quote(name)}: ${block(value, [...path, name])}`,
    );
    return `{\n${members.join(",\n")}\n${close}}`;
  }
  return scalar(tree);
}

const ONE_LINE = new Set(["test/name", "test/at", "reply/style", "reply/waitsMs"]);

function fitsOneLine(tree: JsonTree, path: readonly string[]): boolean {
  if (path.length === 2 && (ONE_LINE.has(path.join("/")) || path[0] === "blobs")) return true;
  // Vectors: a line for each of their thousands of numbers would bury the rest of the file.
  return isJsonArray(tree) && tree.length > 0 && tree.every(isJsonNumber);
}

const scalar = (tree: JsonTree): string => (typeof tree === "string" ? quote(tree) : writeJson(tree));

/** Controls, byte order marks, line separators and direction marks, which editors hide or complain about. */
const INVISIBLE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const quote = (text: string): string => JSON.stringify(text).replace(INVISIBLE, unicodeEscape);
