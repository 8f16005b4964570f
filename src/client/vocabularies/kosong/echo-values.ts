import { type Fields, isFields } from "../../../core/protocol/reading/lenient.ts";
import { parsePythonJson } from "../../json/python-json.ts";
import { pythonStrip } from "../../python/blank.ts";
import { pythonRepr } from "../../python/repr.ts";
import { ChatProviderError } from "./errors.ts";

/** A value of the DSL: JSON, or `none`, or a text whose outer quotes are taken off; nothing at all is null. */
export function parseValue(payload: string): unknown {
  const text = pythonStrip(payload);
  if (text === "" || text.toLowerCase() === "none") return null;
  try {
    return parsePythonJson(text);
  } catch {
    return stripQuotes(text);
  }
}

/** One pair of equal outer quotes is taken off. */
export function stripQuotes(text: string): string {
  const quote = text[0];
  const quoted = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return quoted ? text.slice(1, -1) : text;
}

/** A JSON object, or `key=value` pairs parted by blanks or commas. @throws ChatProviderError */
export function parseMapping(payload: string, what: string): Fields {
  const text = pythonStrip(payload);
  if (text === "") throw new ChatProviderError(`${what} payload cannot be empty.`);
  const value = jsonOrUndefined(text);
  if (isFields(value)) return value;
  if (value !== undefined && typeof value !== "string")
    throw new ChatProviderError(`${what} payload must be an object, got ${pythonRepr(value)}`);
  const tokens = text
    .replaceAll(",", " ")
    .split(/\s+/)
    .filter((token) => token !== "");
  const pairs = tokens.map((token) => {
    const at = token.indexOf("=");
    if (at < 0) throw new ChatProviderError(`Invalid token ${pythonRepr(token)} in ${what} payload.`);
    return [token.slice(0, at), parseValue(token.slice(at + 1))] as const;
  });
  return Object.fromEntries(pairs);
}

/** Compact JSON in ASCII, as `json.dumps(value, separators=(",", ":"))` writes it. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped);
}

/** What Python calls the type of a value that came from JSON. */
export function pythonTypeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "str" : "dict";
}

function jsonOrUndefined(text: string): unknown {
  try {
    return parsePythonJson(text);
  } catch {
    return undefined;
  }
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
