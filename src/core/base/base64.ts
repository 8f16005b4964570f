import { encodeUtf8, decodeText } from "./wire/text.ts";

const DIGITS = encodeUtf8("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const PADDING = 61;

/** Value of each digit by its character code; 64 for other characters. */
const VALUES = new Uint8Array(128).fill(64);
DIGITS.forEach((code, value) => (VALUES[code] = value));

/** Encodes standard base64 with padding. Uses a table, because `btoa` takes binary strings and is ten times slower. */
export function encodeBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.byteLength / 3) * 4);
  for (let from = 0, to = 0; from < bytes.byteLength; from += 3, to += 4) {
    const [a = 0, b = 0, c = 0] = [bytes[from], bytes[from + 1], bytes[from + 2]];
    codes[to] = digit(a >> 2);
    codes[to + 1] = digit(((a & 3) << 4) | (b >> 4));
    codes[to + 2] = digit(((b & 15) << 2) | (c >> 6));
    codes[to + 3] = digit(c & 63);
  }
  const missing = (3 - (bytes.byteLength % 3)) % 3;
  codes.fill(PADDING, codes.byteLength - missing);
  return decodeText(codes);
}

/** Decodes standard base64. Returns undefined unless encoding the bytes again gives the same text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const digits = text.length - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
  const bytes = new Uint8Array(Math.floor((digits * 3) / 4));
  let bits = 0;
  for (let from = 0, to = 0; from < digits; from += 1) {
    const value = VALUES[text.charCodeAt(from)] ?? 64;
    if (value === 64) return undefined;
    bits = ((bits << 6) | value) & 0xfffff;
    // Each digit except the first of four completes a byte.
    const phase = from % 4;
    if (phase > 0) bytes[to++] = bits >> (6 - 2 * phase);
  }
  // Base64 allows any bits after the last byte, but an encoder writes zeros.
  const spare = digits % 4 === 2 ? bits & 15 : digits % 4 === 3 ? bits & 3 : 0;
  return spare === 0 ? bytes : undefined;
}

/** Whether a text is base64, standard or URL-safe. Texts can be megabytes long, and a repeating pattern would overflow. */
export function isBase64(text: string): boolean {
  const digits = text.length - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
  return digits > 0 && !/[^A-Za-z0-9+/_-]/.test(text.slice(0, digits));
}

const digit = (value: number): number => DIGITS[value] ?? 0;
