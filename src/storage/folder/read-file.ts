import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { sameState, signatureOf, type Signature } from "./signature.ts";

/** A file's bytes and the state of the file that they belong to. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly signature: Signature;
}

const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 10;

/** Undefined on Windows, where links need a privilege and where there are no pipes to wait for. */
const NO_FOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;

/**
 * Reads a regular file that nobody wrote to meanwhile. One that is written to all the time is given as it is.
 * @throws the system's error: ENOENT where there is none, ELOOP for a symbolic link, EISDIR for a folder.
 */
export async function readWholeFile(path: string): Promise<ReadFile> {
  for (let attempt = 1; ; attempt += 1) {
    const read = readOnce(path);
    if (attempt === ATTEMPTS || read.isOfOneState) return read;
    await setTimeout(BETWEEN_ATTEMPTS_MS);
  }
}

/** At once: recordings are small, and five ways through the thread pool cost many times what the reading does. */
function readOnce(path: string): ReadFile & { readonly isOfOneState: boolean } {
  const now = Date.now();
  const file = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  try {
    const before = fstatSync(file);
    const bytes = readFileSync(file);
    return {
      bytes,
      signature: signatureOf(before, now),
      isOfOneState: sameState(before, fstatSync(file)),
    };
  } finally {
    closeSync(file);
  }
}
