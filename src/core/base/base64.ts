/** The methods of ECMAScript 2026. Browsers have them since 2025, and Node since version 25. */
interface Base64Bytes {
  readonly prototype: { readonly toBase64?: (this: Uint8Array) => string };
  readonly fromBase64?: (text: string) => Uint8Array;
}
const { prototype, fromBase64 } = Uint8Array as unknown as Base64Bytes;
const { toBase64 } = prototype;
/** Node's own; undefined in a browser. */
const { Buffer: node } = globalThis as { readonly Buffer?: BufferConstructor };

/** Encodes standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  if (node) return node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  if (toBase64) return toBase64.call(bytes);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Decodes standard base64. Returns undefined unless encoding the bytes again gives the same text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  try {
    const bytes = decodeLoosely(text);
    return encodeBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined; // characters that are not of base64
  }
}

function decodeLoosely(text: string): Uint8Array {
  if (node) return new Uint8Array(node.from(text, "base64"));
  return fromBase64 ? fromBase64(text) : Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
}

/** Whether a text is base64, standard or URL-safe. Texts can be megabytes long, and a repeating pattern would overflow. */
export function isBase64(text: string): boolean {
  const digits = text.length - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
  return digits > 0 && !/[^A-Za-z0-9+/_-]/.test(text.slice(0, digits));
}
