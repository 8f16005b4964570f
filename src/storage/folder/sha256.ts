import * as crypto from "node:crypto";

/** Node 20.12 and later hash in one step, in a third of the time for what a call weighs. */
const inOneStep: ((algorithm: string, data: Uint8Array | string, encoding: "hex") => string) | undefined =
  crypto.hash;

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export function computeSha256(data: Uint8Array | string): string {
  if (typeof data === "string" && data.length > PIECE) return hashedByPieces(data);
  return inOneStep === undefined
    ? crypto.createHash("sha256").update(data).digest("hex")
    : inOneStep("sha256", data, "hex");
}

/** In code units. */
const PIECE = 65_536;

/** Half the time for a text of megabytes: its UTF-8 need not be in memory as a whole. */
function hashedByPieces(text: string): string {
  const hash = crypto.createHash("sha256");
  for (let at = 0; at < text.length;) {
    const end = at + PIECE;
    // The halves of a pair are one character.
    const isWithinPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1));
    const next = isWithinPair ? end - 1 : end;
    hash.update(text.slice(at, next));
    at = next;
  }
  return hash.digest("hex");
}
