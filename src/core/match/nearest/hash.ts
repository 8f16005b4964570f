/** Quick hashes that need not withstand anybody: for finding what is alike, never for keys. */

/** Longer texts count by their length and so many of their characters. */
const WHOLE = 16_384;

/** 32 bits of a text (FNV-1a with a final mix); another seed is another hash. */
export function hashText(text: string, seed: number): number {
  const step = text.length <= WHOLE ? 1 : Math.ceil(text.length / WHOLE);
  let hash = (2_166_136_261 ^ seed) >>> 0;
  for (let at = 0; at < text.length; at += step) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return mix(hash, text.length);
}

/** Two numbers as one of 32 bits; the order matters. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b + 0x9e37, 0x85eb_ca6b), 0xc2b2_ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4_eb2f);
  return (hash ^ (hash >>> 13)) >>> 0;
}
