import { sha256 as hash } from "@noble/hashes/sha2.js";

/*
 * Browsers have SHA-256 as a promise only, and keys are needed at once. Text is hashed as UTF-8.
 */

/** 64 lower-case hexadecimal digits. */
export function sha256(data: Uint8Array | string): string {
  return Array.from(hashOf(data), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function hashOf(data: Uint8Array | string): Uint8Array {
  return hash(typeof data === "string" ? new TextEncoder().encode(data) : data);
}
