import { sha256 as hash } from "@noble/hashes/sha2.js";

/*
 * The browsers' own SHA-256 is asynchronous, but keys are needed synchronously.
 */

/** Returns 64 lowercase hexadecimal digits. Text is hashed as UTF-8. */
export function computeSha256(data: Uint8Array | string): string {
  return Array.from(hashOf(data), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function hashOf(data: Uint8Array | string): Uint8Array {
  return hash(typeof data === "string" ? new TextEncoder().encode(data) : data);
}
