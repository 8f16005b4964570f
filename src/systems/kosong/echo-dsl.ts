import { escapeUnicode } from "../../core/base/wire/text.ts";
import type { Fields } from "../../core/base/lenient.ts";
import { writeJson } from "../../core/base/json/json-tree.ts";
import { readPythonJson } from "../../client/json/python-json.ts";
import { splitLinesLikePython, stripLikePython, splitWordsLikePython } from "../../client/python/blank.ts";
import { writePythonRepr } from "../../client/python/write.ts";
import { isDict, convertPlainNumbers, pythonTree } from "../../client/python/value.ts";
import { APIConnectionError, APIStatusError, APITimeoutError, ChatProviderError } from "./errors.ts";
import {
  audioURLPart,
  imageURLPart,
  type StreamedMessagePart,
  textPart,
  thinkPart,
  toolCall,
  toolCallPart,
  videoURLPart,
} from "./parts.ts";
import { tokenUsage, type TokenUsage } from "./token-usage.ts";

export interface EchoScript {
  readonly parts: readonly StreamedMessagePart[];
  readonly id: string | null;
  readonly usage: TokenUsage | null;
}

interface Item {
  readonly payload: string;
  readonly line: number;
  readonly raw: string;
}

/**
 * Reads a script with one `kind: payload` per line. Skips blank lines, comments (#), code fences, and a lone "echo".
 * @throws ChatProviderError for an invalid line, with its number from 1; the error that an `error:` line describes.
 */
export function parseEchoScript(script: string): EchoScript {
  const parts: StreamedMessagePart[] = [];
  let id: string | null = null;
  let usage: TokenUsage | null = null;
  for (const [index, raw] of splitLinesLikePython(script).entries()) {
    const line = stripLikePython(raw);
    if (line === "" || line.startsWith("#") || line.startsWith("```") || line.toLowerCase() === "echo")
      continue;
    const colon = line.indexOf(":");
    if (colon < 0)
      throw new ChatProviderError(`Invalid echo DSL at line ${index + 1}: ${writePythonRepr(raw)}`);
    const kind = stripLikePython(line.slice(0, colon)).toLowerCase();
    const payload = line.slice(colon + 1).replace(/^ /, "");
    const item = { payload, line: index + 1, raw };
    if (kind === "id") id = stripQuotes(stripLikePython(payload));
    else if (kind === "usage") usage = parseUsage(payload);
    else parts.push(partOf(kind, item));
  }
  return { parts, id, usage };
}

function partOf(kind: string, item: Item): StreamedMessagePart {
  switch (kind) {
    case "text":
      return textPart(stripQuotes(item.payload));
    case "think":
      return thinkPart(stripQuotes(item.payload));
    case "image_url":
      return imageURLPart(...urlOf(kind, item.payload));
    case "audio_url":
      return audioURLPart(...urlOf(kind, item.payload));
    case "video_url":
      return videoURLPart(...urlOf(kind, item.payload));
    case "tool_call":
      return callOf(item);
    case "tool_call_part":
      return toolCallPart(argumentsOf(item));
    case "error":
      throw errorOf(item);
    default:
      throw new ChatProviderError(
        `Unknown echo DSL kind '${kind}' at line ${item.line}: ${writePythonRepr(item.raw)}`,
      );
  }
}

function parseUsage(payload: string): TokenUsage {
  const given = parseMapping(payload, "usage");
  const count = (field: string): number => (Object.hasOwn(given, field) ? integer(given[field], field) : 0);
  return tokenUsage({
    inputOther: count("input_other"),
    output: count("output"),
    inputCacheRead: count("input_cache_read"),
    inputCacheCreation: count("input_cache_creation"),
  });
}

/** Converts as Python's `int()`: reads digits in texts, cuts fractions off, and takes true for 1. */
function integer(value: unknown, field: string): number {
  const number = convertPlainNumbers(typeof value === "string" ? pythonInt(value) : value);
  if (typeof number === "boolean") return Number(number);
  if (typeof number === "number" && Number.isFinite(number)) return Math.trunc(number);
  throw new ChatProviderError(`Usage field '${field}' must be an integer, got ${writePythonRepr(value)}`);
}

function urlOf(kind: string, payload: string): [url: string, id: string | null] {
  const value = parseValue(payload);
  if (typeof value === "string") return [value, null];
  if (!isMapping(value))
    throw new ChatProviderError(`${kind} expects url string or object, got ${writePythonRepr(value)}`);
  const { url, id = null } = value;
  if (typeof url !== "string")
    throw new ChatProviderError(`${kind} requires a url field, got ${writePythonRepr(value)}`);
  if (id !== null && typeof id !== "string")
    throw new ChatProviderError(`${kind} id must be a string when provided.`);
  return [url, id];
}

function callOf({ payload, line, raw }: Item): StreamedMessagePart {
  const given = parseMapping(payload, "tool_call");
  const body: Fields = isMapping(given["function"]) ? given["function"] : {};
  const { id } = given;
  const name = isTruthy(given["name"]) ? given["name"] : body["name"];
  if (typeof id !== "string" || typeof name !== "string")
    throw new ChatProviderError(
      `tool_call requires string id and name at line ${line}: ${writePythonRepr(raw)}`,
    );
  const written = given["arguments"] ?? body["arguments"] ?? null;
  if (written !== null && typeof written !== "string")
    throw new ChatProviderError(
      `tool_call.arguments must be a string at line ${line}, got ${pythonTypeName(written)}`,
    );
  const extras = given["extras"] ?? body["extras"];
  return toolCall(id, name, {
    arguments: written,
    extras: isMapping(extras) ? (convertPlainNumbers(extras) as Fields) : null,
  });
}

function argumentsOf({ payload, line, raw }: Item): string | null {
  const value = parseValue(payload);
  const written = isMapping(value) ? (value["arguments_part"] ?? null) : value;
  if (written === null || written === "") return null;
  if (typeof written === "string") return written;
  if (typeof written === "object" && typeof convertPlainNumbers(written) === "object")
    return writeAsciiJson(written);
  throw new ChatProviderError(
    `tool_call_part must be text, an object or a list at line ${line}, got ${pythonTypeName(written)}: ${writePythonRepr(raw)}`,
  );
}

function errorOf({ payload, line, raw }: Item): ChatProviderError {
  const text = stripLikePython(payload);
  if (text === "")
    return new ChatProviderError(`Empty error payload at line ${line}: ${writePythonRepr(raw)}`);
  const spec = text.replace(/ [^]*/, "");
  const message = stripLikePython(text.slice(spec.length));
  const kind = spec.toLowerCase();
  if (kind === "connection") return new APIConnectionError(message || "Simulated connection error");
  if (kind === "timeout") return new APITimeoutError(message || "Simulated timeout error");
  const status = pythonInt(spec);
  if (status !== undefined) return new APIStatusError(Number(status), message || `Simulated ${status} error`);
  return new ChatProviderError(
    `Invalid error spec at line ${line}: expected status code or 'connection'/'timeout', got ${writePythonRepr(spec)}`,
  );
}

/** Reads a text as Python's `int()`: digits of any script, blanks around them, single underscores between them. */
function pythonInt(text: string): bigint | undefined {
  const digits = stripLikePython(text).replaceAll(/\p{Nd}/gu, digitValue);
  if (!/^[+-]?\d+(?:_\d+)*$/.test(digits)) return undefined;
  const value = BigInt(digits.replaceAll(/[+_-]/g, ""));
  return digits.startsWith("-") ? -value : value;
}

/** Returns the value of a digit. In Unicode, the digits of each script follow each other from 0. */
function digitValue(digit: string): string {
  const code = Number(digit.codePointAt(0));
  let zero = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/** Whether Python's `or` takes the value for true. */
function isTruthy(value: unknown): boolean {
  if (isMapping(value)) return Object.keys(value).length > 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(convertPlainNumbers(value));
}

/** Whether a value is a dict. Python's floats are objects too in this representation. */
function isMapping(value: unknown): value is Fields {
  return isDict(value) && typeof convertPlainNumbers(value) === "object";
}

/** Reads a value of the DSL: JSON, `null` or `none` in any case, or a text without outer quotes. An empty one is null. */
function parseValue(payload: string): unknown {
  const text = stripLikePython(payload);
  if (["", "null", "none"].includes(text.toLowerCase())) return null;
  const value = readPythonJson(text, { lossless: true });
  return value === undefined ? stripQuotes(text) : value;
}

/** Removes one pair of equal outer quotes. */
function stripQuotes(text: string): string {
  const quote = text[0];
  const quoted = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return quoted ? text.slice(1, -1) : text;
}

/** Reads a JSON object, or `key=value` pairs separated by blanks or commas. @throws ChatProviderError */
function parseMapping(payload: string, what: string): Fields {
  const text = stripLikePython(payload);
  const value = readPythonJson(text, { lossless: true }) ?? undefined;
  if (isMapping(value)) return value;
  if (value !== undefined)
    throw new ChatProviderError(`${what} payload must be an object, got ${writePythonRepr(value)}`);
  const pairs = splitWordsLikePython(text.replaceAll(",", " ")).map((token) => {
    const at = token.indexOf("=");
    if (at < 0) throw new ChatProviderError(`Invalid token '${token}' in ${what} payload.`);
    return [token.slice(0, at), parseValue(token.slice(at + 1))] as const;
  });
  if (pairs.length === 0) throw new ChatProviderError(`${what} payload cannot be empty.`);
  return Object.fromEntries(pairs);
}

/** Writes compact JSON in ASCII, as `json.dumps(value, separators=(",", ":"))`. */
export function writeAsciiJson(value: unknown): string {
  return writeJson(pythonTree(value, "the value")).replace(/[\u007f-\uffff]/g, escapeUnicode);
}

/** Returns Python's name for the type of a value from JSON. */
function pythonTypeName(value: unknown): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  if (isMapping(value)) return "dict";
  return typeof value === "bigint" || Number.isInteger(value) ? "int" : "float";
}
