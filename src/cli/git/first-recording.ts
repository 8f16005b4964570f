import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ATTRIBUTES } from "../../storage/git-attributes.ts";
import { createSurveyor } from "../../storage/folder/survey.ts";
import type { RunEvent } from "../report/run-report.ts";

/**
 * What to do for git, where a run made the first recordings of a folder in a repository; undefined where it did not,
 * or attributes stand there. It is asked once: nobody is told again who does not want to.
 */
export async function firstRecordingHint(
  dir: string,
  events: readonly RunEvent[],
): Promise<string | undefined> {
  const made = new Set(events.flatMap(({ outcome, entry }) => (outcome === "recorded" ? (entry ?? []) : [])));
  if (made.size === 0 || existsSync(join(dir, ATTRIBUTES)) || !isInRepository(dir)) return undefined;
  const { addresses } = await createSurveyor(dir)();
  if (addresses.some(({ entry }) => !made.has(entry))) return undefined;
  return "Recordings are for git: tapedeck git-setup folds them in reviews and keeps merges of them whole.";
}

function isInRepository(dir: string): boolean {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (dirname(folder) === folder) return false;
  }
}
