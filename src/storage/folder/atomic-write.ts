import { linkSync } from "node:fs";
import { lstat, open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, GONE, TAKEN, whereCode } from "./failures.ts";
import { discard, reservationOf } from "./temporary.ts";

/** What file systems without hard links answer (FAT, some network and FUSE ones). */
export const NO_LINKS: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EINVAL",
  "EMLINK",
]);

/**
 * Gives a whole temporary file its name, unless the name is taken. Resolves to whether it got it. `onNoLinks` is told
 * where the file system has no hard links.
 */
export async function claimName(temporary: string, target: string, onNoLinks?: () => void): Promise<boolean> {
  try {
    linkSync(temporary, target);
    await discard(temporary);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    onNoLinks?.();
    return claimByReservation(temporary, target);
  }
}

/**
 * The same without hard links. Renaming replaces what is there, so the name is reserved first, by a file of another
 * name that all our processes respect: creating the target itself and filling it would leave a torn recording behind
 * whoever is killed in between. A reservation that a dead process left costs a take number and nothing else.
 */
export async function claimByReservation(temporary: string, target: string): Promise<boolean> {
  const reservation = join(dirname(target), reservationOf(basename(target)));
  const file = await open(reservation, "wx").catch(whereCode(TAKEN, undefined));
  if (file === undefined) return false;
  try {
    await file.close();
    if (await isThere(target)) return false;
    await rename(temporary, target);
    return true;
  } finally {
    await discard(reservation);
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(() => true, whereCode(GONE, false));
}
