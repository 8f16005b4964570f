/** Bytes turned to text at a time: a multiple of 3, and few enough to be the arguments of a call. */
const SLICE = 24_573;

/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.byteLength; at += SLICE) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + SLICE))));
  }
  return pieces.join("");
}

/** The bytes, or undefined unless encoding them again gives the same text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  // The bits beyond the last byte may be anything in base64, but zeros are all that encoding gives.
  const tail = bytes.subarray(Math.max(0, bytes.byteLength - (bytes.byteLength % 3 || 3)));
  return text.endsWith(encodeBase64(tail)) ? bytes : undefined;
}
