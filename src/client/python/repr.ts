import { isJsonNumber, isJsonObject, type JsonTree } from "../../core/json/json-tree.ts";
import { pythonTree } from "./value.ts";

/**
 * Python's `str()` of a dict, list or other value that came from JSON: `{'a': True, 'b': None}`.
 * @throws ChatError as `pythonTree`
 */
export const pythonRepr = (value: unknown, where = "the value"): string => repr(pythonTree(value, where));

function repr(tree: JsonTree): string {
  if (typeof tree === "string") return reprText(tree);
  if (tree === null) return "None";
  if (typeof tree === "boolean") return tree ? "True" : "False";
  if (isJsonNumber(tree)) return reprNumber(tree.number);
  if (!isJsonObject(tree)) return `[${tree.map(repr).join(", ")}]`;
  return `{${tree.members.map(([name, value]) => `${reprText(name)}: ${repr(value)}`).join(", ")}}`;
}

/** `repr` writes what is no number otherwise than `json.dumps` does. */
const reprNumber = (text: string): string => text.replace("NaN", "nan").replace("Infinity", "inf");

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Controls, formats, surrogates, private and unassigned ones, and every separator but the blank: not printable. */
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
