import { withoutPercentEscapes } from "../wire/percent.ts";

/** The text and what it says once JSON's and URLs' escapes are undone, where it has any. */
export function readingsOf(text: string): readonly string[] {
  const once = withoutJsonEscapes(text);
  // JSON within a string of JSON, as in the arguments of a tool call.
  const readings = [text, once, withoutJsonEscapes(once), withoutPercentEscapes(text)];
  return [...new Set(readings)];
}

/**
 * How a value is written in a text whose escapes are undone: as it is, in hexadecimal, and in base64 of both
 * alphabets, alone or anywhere within something longer.
 */
export function spellingsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([value, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** The base64 digits that depend on `bytes` alone when they begin `offset` bytes (mod 3) into what is encoded. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const text = btoa("\0".repeat(offset) + String.fromCharCode(...bytes));
  const first = Math.ceil((offset * 8) / 6);
  const whole = Math.floor(((offset + bytes.byteLength) * 8) / 6);
  return text.slice(first, whole);
}

const NAMED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function withoutJsonEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, unit: string | undefined, char: string) =>
    unit === undefined ? (NAMED[char] ?? char) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
