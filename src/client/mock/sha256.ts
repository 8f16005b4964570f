import { createHash } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** SHA-256 as 32 characters up to U+00FF. */
export function digest(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("binary");
}
