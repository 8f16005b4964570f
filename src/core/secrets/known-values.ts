import { bytesOf } from "../wire/text.ts";
import type { Scan } from "./scanner.ts";

/** The kind of a value that a variable of the environment calls a secret. */
export const FROM_ENVIRONMENT = "secret from an environment variable";

const TELLING =
  /(?:(?:access|account|api|auth|encryption|private|secret|service|signing)[-_]?key|token|secret|passw(?:or)?d|passphrase|credentials?)$/i;
/** A path is where a secret is stored. */
const PATH = /^(?:[./~\\]|[A-Za-z]:[\\/])/;
/** In characters: shorter values are in texts by chance. */
const SHORTEST = 16;

/**
 * The values of variables whose names call them a secret and that look like one: 16 or more characters without white
 * space that mix letters and digits, except paths and URLs. The longest first.
 */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) =>
    TELLING.test(name) && isSecret(value) ? [value] : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

/** Whether a value that is called a secret looks like one. */
export function isSecret(value: string): boolean {
  if (value.length < SHORTEST || PATH.test(value) || value.includes("://")) return false;
  return /^\S+$/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** Finds these very values in all their spellings. */
export function scanValues(values: readonly string[], kind: string): Scan {
  const spellings = values.flatMap(spellingsOf);
  return (text) => spellings.filter((value) => text.includes(value)).map((value) => ({ kind, value }));
}

/**
 * How a value is written: as it is, escaped for JSON and for URLs, in hexadecimal, and in base64 of both alphabets, alone or
 * anywhere within something longer.
 */
export function spellingsOf(value: string): readonly string[] {
  const bytes = bytesOf(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const escaped = [JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return [...new Set([value, ...escaped, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** The base64 digits that depend on `bytes` alone when they begin `offset` bytes (mod 3) into the encoded data. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const text = btoa("\0".repeat(offset) + String.fromCharCode(...bytes));
  const first = Math.ceil((offset * 8) / 6);
  const whole = Math.floor(((offset + bytes.byteLength) * 8) / 6);
  return text.slice(first, whole);
}
