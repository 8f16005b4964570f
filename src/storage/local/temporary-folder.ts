import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a folder in the system's folder for temporary files. `purpose` is a plain word, e.g. "proxy". */
export const makeTemporaryFolder = (purpose: string): string =>
  mkdtempSync(join(tmpdir(), `tapedeck-${purpose}-`));
