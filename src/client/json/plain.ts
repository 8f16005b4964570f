import { isFields } from "../../core/base/lenient.ts";
import { takeCodePoints } from "../code-points.ts";

/**
 * Finds a value that JSON cannot represent: "a circular reference at messages[0].extras.self". Returns undefined for
 * plain data. Rejects more than 512 levels, as the engine does in requests.
 */
export const findNotJson = (value: unknown, where: string): string | undefined => faultIn(value, where, []);

const MAX_DEPTH = 512;

function faultIn(value: unknown, where: string, above: readonly object[]): string | undefined {
  if (value === null || ["string", "boolean", "undefined"].includes(typeof value)) return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${value} at ${where}`;
  if (typeof value !== "object") return `a ${typeof value} at ${where}`;
  if (above.includes(value)) return `a circular reference at ${where}`;
  if (above.length >= MAX_DEPTH) return `more than ${MAX_DEPTH} levels at ${where.slice(0, 200)}`;
  const inside = [...above, value];
  const members: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [`[${index}]`, item] as const)
    : Object.entries(value).map(([name, item]) => [`.${name}`, item] as const);
  for (const [step, item] of members) {
    const fault = faultIn(item, where + step, inside);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Makes a frozen deep copy of plain data. Other objects (signals, class instances) are not copied. */
export function copyFrozen<T>(value: T): T;
export function copyFrozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => copyFrozen(item)));
  if (!isFields(value) || !isPlain(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyFrozen(item)]));
  return Object.freeze(copy);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Formats a value for an error, as JSON if possible, with at most 80 characters. */
export function showValue(value: unknown): string {
  const text = jsonText(value) ?? String(value);
  const cut = takeCodePoints(text, 80);
  return cut === text ? text : `${cut}…`;
}

function jsonText(value: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value === "object" && value !== null && findNotJson(value, "") !== undefined)
    return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "bigint" ? `${value}` : JSON.stringify(value);
}

/** Returns the JSON name of a value's type; integers are "number". */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
