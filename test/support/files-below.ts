import { readdirSync } from "node:fs";
import { join } from "node:path";

/** All files below a folder, relative to it, sorted. */
export function filesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
}
