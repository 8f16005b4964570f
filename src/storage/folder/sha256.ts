import { createHash } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export const computeSha256 = (data: Uint8Array | string): string =>
  createHash("sha256").update(data).digest("hex");
