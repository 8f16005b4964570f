import * as crypto from "node:crypto";

/** Node 20.12 and later hash in one step, in a third of the time for what a call weighs. */
const inOneStep:
  | ((algorithm: string, data: Uint8Array | string, encoding: "hex" | "binary") => string)
  | undefined = crypto.hash;

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export function sha256(data: Uint8Array | string): string {
  return hashed(data, "hex");
}

/** SHA-256 as 32 characters up to U+00FF. */
export function digest(data: Uint8Array): string {
  return hashed(data, "binary");
}

function hashed(data: Uint8Array | string, encoding: "hex" | "binary"): string {
  return inOneStep === undefined
    ? crypto.createHash("sha256").update(data).digest(encoding)
    : inOneStep("sha256", data, encoding);
}
