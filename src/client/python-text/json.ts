import { isJsonNumber, isJsonObject, type JsonTree } from "../../core/wire/json-tree.ts";
import { pythonTree } from "./value.ts";

/**
 * Python's `json.dumps(value, ensure_ascii=False)`: members in their own order, `", "` and `": "`, nothing escaped but
 * quotes, backslashes and controls below U+0020. Lone surrogates stay as they are.
 * @throws ChatError as `pythonTree`
 */
export function pythonJson(value: unknown, where: string): string {
  return dumps(pythonTree(value, where));
}

function dumps(tree: JsonTree): string {
  if (typeof tree === "string") return quote(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  if (isJsonNumber(tree)) return tree.number;
  if (!isJsonObject(tree)) return `[${tree.map(dumps).join(", ")}]`;
  return `{${tree.members.map(([name, value]) => `${quote(name)}: ${dumps(value)}`).join(", ")}}`;
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\b", "\\b"],
  ["\f", "\\f"],
]);

function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- controls are what is escaped
  return `"${text.replace(/["\\\u0000-\u001f]/g, (unit) => SHORT.get(unit) ?? escape(unit))}"`;
}

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
