import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWrongUsage } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";
import { getErrorCode } from "../folder/failures.ts";

/**
 * Makes a folder in the system's folder for temporary files. `purpose` is a plain word, e.g. "proxy".
 * @throws TapedeckError `tapedeck_usage` if that folder cannot be written, as in a container with a read-only file system
 */
export function makeTemporaryFolder(purpose: string): string {
  try {
    return mkdtempSync(join(tmpdir(), `tapedeck-${purpose}-`));
  } catch (error) {
    throw createWrongUsage(
      localize("No temporary folder can be created in {0} ({1}).", tmpdir(), getErrorCode(error) ?? ""),
      localize("Set TMPDIR to a folder that can be written."),
    );
  }
}
