import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The names of the providers of which a folder has recordings, whether they are known or not; none where it cannot be read. */
export function recordedProviders(dir: string): readonly string[] {
  try {
    const entries = readdirSync(join(dir, "calls"), { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  } catch {
    // What is wrong with the folder is said by whoever looks for a recording.
    return [];
  }
}
