import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that goes when the test is over. */
export function aFolder(): string {
  const { path, remove } = aLastingFolder();
  onTestFinished(remove);
  return path;
}

/** An empty folder for several tests; `remove` it after the last. */
export function aLastingFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "tapedeck-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
