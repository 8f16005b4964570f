const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of whole UTF-8 bytes. A byte order mark stays, so that text and bytes have the same beginning. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The text of bytes that are UTF-8, with its byte order mark; else undefined. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** As `utf8`, without its byte order mark. */
export const plainUtf8 = (bytes: Uint8Array): string | undefined => utf8(bytes)?.replace(/^\ufeff/, "");

/** The UTF-8 bytes of a text. */
export const bytesOf = (text: string): Uint8Array => encoder.encode(text);

/** Joins pieces in order. A single piece is given back as it is, without a copy. */
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

/** The same text in memory of its own. A piece cut from a text otherwise keeps all of that text from being freed. */
export const ownText = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** A UTF-16 unit as JSON and Python write it where it cannot stand as it is. */
export function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Whether a header can have this value (RFC 9110 5.5): visible characters, spaces, tabs, and what old clients send beyond ASCII. */
export const isHeaderValue = (value: string): boolean => /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);
