import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, OWN_PROCESS_NAME } from "../folder/process-name.ts";

/**
 * Makes a folder in the system's folder for temporary files, and removes those of the same purpose that processes left
 * when they were killed. `purpose` is a plain word, e.g. "proxy".
 */
export function makeTemporaryFolder(purpose: string): string {
  const prefix = `tapedeck-${purpose}-`;
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(prefix) && hasEnded(name.slice(prefix.length))) removeFolder(join(tmpdir(), name));
  return mkdtempSync(join(tmpdir(), `${prefix}${OWN_PROCESS_NAME}-`));
}

/** Another user's folder stays. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // It is not ours to remove.
  }
}
