/** The methods of ECMAScript 2026, which browsers have and Node 20 does not. */
interface Base64Bytes {
  readonly prototype: { readonly toBase64?: (this: Uint8Array) => string };
  readonly fromBase64?: (text: string) => Uint8Array;
}
const { prototype, fromBase64 } = Uint8Array as unknown as Base64Bytes;
const { toBase64 } = prototype;

// oxlint-disable-next-line no-restricted-globals -- Node has no such methods before version 25
const node = toBase64 === undefined ? Buffer : undefined;

/** Encodes standard base64 with padding. */
export const encodeBase64 = (bytes: Uint8Array): string =>
  node?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") ??
  toBase64?.call(bytes) ??
  "";

/** Decodes standard base64. Returns undefined unless encoding the bytes again gives the same text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  try {
    const bytes = node === undefined ? fromBase64?.(text) : new Uint8Array(node.from(text, "base64"));
    return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is base64, standard or URL-safe. Texts can be megabytes long, and a repeating pattern would overflow. */
export function isBase64(text: string): boolean {
  const digits = text.length - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
  return digits > 0 && !/[^A-Za-z0-9+/_-]/.test(text.slice(0, digits));
}
