import { linkSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode } from "./failures.ts";
import { readBytesNow } from "./read-file.ts";
import { computeSha256 } from "./sha256.ts";
import { createTemporaryPath } from "./durable-write.ts";

/** Returns the hash of a file's content; undefined if there is no file. @throws the system's error. */
export function findSwappedFile(path: string): string | undefined {
  try {
    return computeSha256(readBytesNow(path));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Replaces a file with a temporary one, unless the file has unexpected content: then the temporary file is kept. Returns
 * whether it was replaced. Looks and renames synchronously, and restores the old file if another process writes to it
 * meanwhile. A missing file counts as expected.
 * @throws the system's error
 */
export function swapIn(
  temporary: string,
  target: string,
  isExpected: (standing: string) => boolean,
): boolean {
  if (isPlaced(temporary, target)) return true;
  const held = heldAside(target);
  try {
    const before = findSwappedFile(held);
    if (before !== undefined && !isExpected(before)) return false;
    renameSync(temporary, target);
    if (held === target || before === undefined || findSwappedFile(held) === before) return true;
    linkSync(target, temporary);
    renameSync(held, target);
    return false;
  } finally {
    if (held !== target) discardNow(held);
  }
}

/** Gives the file its name only if the name is free. */
function isPlaced(temporary: string, target: string): boolean {
  try {
    linkSync(temporary, target);
    return true;
  } catch {
    return false;
  }
}

/** Returns a second name for the file, so that it survives the swap; its own name if links are not supported. */
function heldAside(target: string): string {
  const aside = createTemporaryPath(dirname(target));
  try {
    linkSync(target, aside);
    return aside;
  } catch {
    return target;
  }
}

function discardNow(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was restored, or will be removed with the files of ended processes.
  }
}
