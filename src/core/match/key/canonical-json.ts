import { isJsonNumber, isJsonObject, type JsonObject, type JsonTree } from "../../json/json-tree.ts";

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
  const exact = normalise(lexeme);
  const double = Number(lexeme);
  if (!Number.isFinite(double)) return exact;
  const written = String(double === 0 ? 0 : double);
  return normalise(written) === exact ? written : exact;
}

/** Digits without zeros at either end, and the power of ten of the last one. The value zero has no digits and no sign. */
function normalise(lexeme: string): string {
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
