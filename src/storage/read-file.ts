import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { sameState, signatureOf, type Signature } from "./signature.ts";

/** A file's bytes and the state of the file that they belong to. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly signature: Signature;
}

const ATTEMPTS = 3;

/** Undefined on Windows, where links need a privilege. */
const NO_FOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/**
 * Reads a regular file that nobody wrote to meanwhile. One that is written to all the time is given as it is.
 * @throws the system's error: ENOENT where there is none, ELOOP for a symbolic link, EISDIR for a folder.
 */
export async function readWholeFile(path: string): Promise<ReadFile> {
  for (let attempt = 1; ; attempt += 1) {
    const now = Date.now();
    const file = await open(path, constants.O_RDONLY | NO_FOLLOW);
    try {
      const before = await file.stat();
      const bytes = await file.readFile();
      if (attempt === ATTEMPTS || sameState(before, await file.stat())) {
        return { bytes, signature: signatureOf(before, now) };
      }
    } finally {
      await file.close();
    }
  }
}
