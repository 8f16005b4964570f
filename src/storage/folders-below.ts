import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";

const MAX_FOLDERS = 2_000;
const SKIPPED_FOLDER = /^(?:\..*|node_modules|dist|build|out|coverage|vendor|venv|__pycache__)$/u;

/** Yields a project's folders with their entries, breadth first, up to 2,000. Leaves out installed and built files. */
export function* readFoldersBelow(
  project: string,
): Generator<{ readonly folder: string; readonly entries: readonly Dirent[] }> {
  const folders = [project];
  for (let at = 0; at < folders.length && at < MAX_FOLDERS; at += 1) {
    const folder = folders[at] ?? "";
    const entries = readEntries(folder);
    yield { folder, entries };
    for (const entry of entries)
      if (entry.isDirectory() && !SKIPPED_FOLDER.test(entry.name)) folders.push(join(folder, entry.name));
  }
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it is gone or cannot be read
  }
}
