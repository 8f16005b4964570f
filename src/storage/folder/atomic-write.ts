import { linkSync, lstatSync, renameSync } from "node:fs";
import { codeOf } from "./failures.ts";
import { discard } from "./temporary.ts";

/** Codes of file systems without hard links (FAT, some network and FUSE ones). */
const NO_LINKS: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EINVAL",
  "EMLINK",
]);

/**
 * Gives a whole temporary file its name, unless the name is taken. Resolves to whether it got it. Without hard links, two
 * processes that claim a name at the same moment can both get it.
 */
export async function claimName(temporary: string, target: string): Promise<boolean> {
  try {
    linkSync(temporary, target);
    await discard(temporary);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    // In one step for this process: nothing comes between looking and renaming.
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
    renameSync(temporary, target);
    return true;
  }
}
