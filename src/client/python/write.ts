import { isJsonNumber, isJsonObject, type JsonTree, writeJson } from "../../core/base/json/json-tree.ts";
import { pythonTree } from "./value.ts";
import { escapeUnicode } from "../../core/base/wire/text.ts";

/**
 * Writes a value from JSON like Python's `str()`: `{'a': True, 'b': None}`.
 * @throws ChatError like `pythonTree`
 */
export const writePythonRepr = (value: unknown, where = "the value"): string =>
  repr(pythonTree(value, where));

function repr(tree: JsonTree): string {
  if (typeof tree === "string") return reprText(tree);
  if (tree === null) return "None";
  if (typeof tree === "boolean") return tree ? "True" : "False";
  if (isJsonNumber(tree)) return reprNumber(tree.number);
  if (!isJsonObject(tree)) return `[${tree.map(repr).join(", ")}]`;
  return `{${tree.members.map(([name, value]) => `${reprText(name)}: ${repr(value)}`).join(", ")}}`;
}

/** Converts NaN and infinities from the spelling of `json.dumps` to that of `repr`. */
const reprNumber = (text: string): string => text.replace("NaN", "nan").replace("Infinity", "inf");

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Unprintable characters: control, format, surrogate, private, and unassigned ones, and separators except the space. */
const UNPRINTABLE = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(UNPRINTABLE, (found) => SHORT.get(found) ?? escape(found));
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function escape(character: string): string {
  const digits = Number(character.codePointAt(0)).toString(16);
  if (digits.length <= 2) return `\\x${digits.padStart(2, "0")}`;
  return digits.length <= 4 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

/**
 * Writes JSON like Python's `json.dumps(value, ensure_ascii=False)`: members in order, `", "` and `": "`, escapes only for
 * quotes, backslashes, and control characters below U+0020. Lone surrogates are not escaped.
 * @throws ChatError like `pythonTree`
 */
export function writePythonJson(value: unknown, where: string): string {
  return writeJson(pythonTree(value, where), { colon: ": ", comma: ", " }).replace(ESCAPE, surrogate);
}

/** Matches escaped lone surrogates, which only JavaScript escapes, and any other escape as a whole. */
const ESCAPE = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

function surrogate(found: string, digits: string | undefined): string {
  return digits === undefined ? found : String.fromCharCode(Number.parseInt(digits, 16));
}

/**
 * Writes JSON like Python's `json.dumps(value)`: characters outside ASCII as `\uXXXX`.
 * @throws ChatError like `pythonTree`
 */
export function writePythonAsciiJson(value: unknown, where: string): string {
  return writePythonJson(value, where).replace(/[\u0080-\uffff]/g, escapeUnicode);
}
