import type { ReadKind, ShapedKind } from "./kind.ts";
import { getSecretPlaceholder } from "../scanner.ts";

/** In characters. A longer text is not a private key, and the search continues behind its header. */
const LONGEST_KEY = 16_384;

const PRIVATE_KEY = "private key";
const BEGINS =
  /-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2[ A-Z]{0,20} PRIVATE KEY ----|PuTTY-User-Key-File-\d:/iy;
const ENDS =
  /-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2[ A-Z]{0,20} PRIVATE KEY ----|Private-(?:MAC|Hash): ?[0-9a-f]{20,128}/i;

/** Code and documentation with a placeholder instead of a key. */
const TEMPLATE = /^(?:\s|\\{1,8}[rn])*(?:\$\{|\.\.\.)/;

/**
 * Returns the key that begins at a position, up to its end, including comments, dashes, and headers. Without an end, it
 * includes all following lines that look like a part of a key.
 */
function privateKeyAt(text: string, at: number): string | undefined {
  BEGINS.lastIndex = at;
  const begins = BEGINS.exec(text)?.[0];
  if (begins === undefined) return undefined;
  const rest = text.slice(at + begins.length, at + LONGEST_KEY);
  if (TEMPLATE.test(rest)) return undefined;
  const next = rest.search(/-----BEGIN|---- BEGIN|PuTTY-User/);
  const own = next < 0 ? rest : rest.slice(0, next);
  const ends = ENDS.exec(own);
  return begins + own.slice(0, ends === null ? materialIn(own) : ends.index + ends[0].length);
}

/** Breaks of lines, also as code, JSON and JSON within JSON write them. */
const BREAK = /(?:\r?\n|\\{1,8}[rn])+/g;
/** How quotations, comments and code go round a line. */
const ROUND = /^[\s>#*/|"'+,-]+|[\s"'\\,;+*/-]+$/g;
const HEADER = /^[\s>#*/|"'+-]{0,9}[A-Z][A-Za-z-]{2,30}: [^"\\]{0,200}$/;
const KEY_TEXT = /^(?:\s*[A-Za-z0-9+/=_-]{20,})+/;

/** How much of a text's beginning goes on with a key: lines of base64 and headers, and what of the next line is base64. */
function materialIn(text: string): number {
  let end = 0;
  let from = 0;
  for (const { 0: gap, index } of [...text.matchAll(BREAK), { 0: "", index: text.length }]) {
    const line = text.slice(from, index);
    const bare = line.replaceAll(ROUND, "");
    const isKeyText = bare === "" || (from > 0 && /^[A-Za-z0-9+/=_-]{8,}$/.test(bare));
    if (!isKeyText && !HEADER.test(line)) {
      const begun = KEY_TEXT.exec(line)?.[0];
      return begun === undefined ? end : from + begun.length;
    }
    if (bare !== "") end = index;
    from = index + gap.length;
  }
  return end;
}

/** What still looks like a key's where one was taken out. */
export const remains: ShapedKind = {
  kind: PRIVATE_KEY,
  keywords: [getSecretPlaceholder({ kind: PRIVATE_KEY }).toLowerCase()],
  shape: /\[redacted: private key\](?:[^[\n]{0,200}\n){0,3}?[^[\n]{0,80}?([A-Za-z0-9+/=]{40,2000})/y,
  entropy: 4,
  isSecret: (value) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value),
  isWithinWords: true,
};

export const privateKeys: ReadKind = {
  kind: PRIVATE_KEY,
  keywords: ["-----begin", "---- begin", "putty-user-key-file"],
  read(text, at) {
    const value = privateKeyAt(text, at);
    return value === undefined ? undefined : { end: at + value.length, value };
  },
};
