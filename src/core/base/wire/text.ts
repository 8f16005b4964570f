const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes UTF-8. Keeps a byte order mark, so that text and bytes correspond. */
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Decodes UTF-8 with its byte order mark; returns undefined for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8 without its byte order mark; returns undefined for invalid bytes. */
export const decodePlainUtf8 = (bytes: Uint8Array): string | undefined =>
  decodeUtf8(bytes)?.replace(/^\ufeff/, "");

/** Whether a body is bytes. Those of Node are no instances of the `Uint8Array` of a test in jsdom. */
export const isBytes = (body: unknown): body is Uint8Array => ArrayBuffer.isView(body);

/** Encodes as UTF-8. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Joins pieces in order. Returns a single piece without copying it. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.byteLength;
  }
  return joined;
}

/** Copies a text to new memory. A slice of a text otherwise keeps the whole text in memory. */
export const copyText = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Writes a UTF-16 code unit as the escape of JSON and Python. */
export function escapeUnicode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Whether a header can have this value (RFC 9110 5.5): visible characters, spaces, tabs, and the Latin-1 of old clients. */
export const isHeaderValue = (value: string): boolean => /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);

/** Whether a recorded header can have this name (RFC 9110 5.6.2), which is always in lower case. */
export const isHeaderName = (name: string): boolean => /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name);

/** Decodes each run of percent escapes separately, and leaves invalid runs as they are. */
export function withoutPercentEscapes(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decodePercent);
}

/** Decodes a percent-encoded text, or returns it unchanged if its encoding is invalid. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the content type from headers with lowercase names, as an object to spread. */
export function findContentType(headers: readonly (readonly [name: string, value: string])[]): {
  readonly contentType?: string;
} {
  const found = headers.find(([name]) => name === "content-type")?.[1];
  return found === undefined ? {} : { contentType: found };
}

/** Returns the headers with this content type in place of any other. */
export function withContentType(
  headers: readonly (readonly [name: string, value: string])[],
  contentType: string | undefined,
): readonly (readonly [name: string, value: string])[] {
  if (contentType === undefined) return headers;
  return [["content-type", contentType], ...headers.filter(([name]) => name !== "content-type")];
}

/** Whether a body is audio, video, an image, or a binary file: clients may use its beginning before it is complete. */
export function isMedia(contentType: string | undefined): boolean {
  return /^\s*(?:audio|video|image|application\/octet-stream)\b/i.test(contentType ?? "");
}

/** Whether the content type declares a single JSON value. */
export function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? "");
}

/**
 * Returns the spellings of a value: as it is, escaped for JSON and for URLs, in hexadecimal, and in base64 of both
 * alphabets, alone or anywhere within something longer.
 */
export function listSpellings(value: string): readonly string[] {
  const bytes = encodeUtf8(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const escaped = [JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return [...new Set([value, ...escaped, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** Returns the base64 digits that depend only on `bytes`, if these begin `offset` bytes (mod 3) into the encoded data. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const text = btoa("\0".repeat(offset) + String.fromCharCode(...bytes));
  const first = Math.ceil((offset * 8) / 6);
  const whole = Math.floor(((offset + bytes.byteLength) * 8) / 6);
  return text.slice(first, whole);
}

/** Behind the quote that ends the string that begins at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charAt(before - 1) === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return text.length;
}
