import { linkSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./failures.ts";
import { readBytesNow } from "./read-file.ts";
import { sha256 } from "./sha256.ts";
import { temporaryPath } from "./durable-write.ts";

/** What stands in a file: the hash of its bytes. Undefined where there is no file. @throws the system's error. */
export function standingIn(path: string): string | undefined {
  try {
    return sha256(readBytesNow(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Puts a whole temporary file in the place of another one, unless that says something that was not expected: then the
 * temporary file is left. Gives back whether it did. Nothing of this process comes between looking and renaming, and
 * what another one writes into the old file even then is put back. A file that is gone has no text to lose.
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
    const before = standingIn(held);
    if (before !== undefined && !isExpected(before)) return false;
    renameSync(temporary, target);
    if (held === target || before === undefined || standingIn(held) === before) return true;
    linkSync(target, temporary);
    renameSync(held, target);
    return false;
  } finally {
    if (held !== target) discardNow(held);
  }
}

/** Takes a place where nothing stands, and no other. */
function isPlaced(temporary: string, target: string): boolean {
  try {
    linkSync(temporary, target);
    return true;
  } catch {
    return false;
  }
}

/** Another name for the same file, under which it outlives the swap. Where links are not to be had, its own. */
function heldAside(target: string): string {
  const aside = temporaryPath(dirname(target));
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
    // It was put back, or will go with what dead processes left.
  }
}
