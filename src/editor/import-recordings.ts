/** What reads other tools' recordings: a bundle of its own, loaded when an import is asked for. */
import type { Deck } from "../deck.ts";
import { findFiles, type ImportFile } from "../importing/find-files.ts";
import { importFile } from "../importing/import-file.ts";
import { createKeeper } from "../importing/keep.ts";
import type { FileReport } from "../importing/report.ts";

export { leftOut, sumsText, totalsOf } from "../importing/report.ts";

export interface Importing {
  readonly deck: Deck;
  /** Addresses by provider that the user named. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** Against which what is shown of a path is relative. */
  readonly root: string;
  /** Stops between two files; what was imported stays. */
  readonly signal: AbortSignal;
  readonly onProgress: (file: ImportFile, done: number, all: number) => void;
}

/**
 * Imports files and what lies below folders, as `tapedeck import` does. Of files in folders only those are reported
 * that hold recordings.
 * @throws TapedeckError where the project's file is broken, something named is not there, or the disk refuses.
 */
export async function importRecordings(
  named: readonly string[],
  { deck, upstreams, root, signal, onProgress }: Importing,
): Promise<readonly FileReport[]> {
  await deck.project.reload();
  const project = deck.project.current;
  // Without its rules, recordings would be held to others than the calls to come.
  if (project.problem !== undefined) throw project.problem;
  const files = await findFiles(named, { cwd: root, dir: deck.dir });
  const keeper = createKeeper(deck.store);
  const reports: FileReport[] = [];
  for (const [done, file] of files.entries()) {
    if (signal.aborted) break;
    onProgress(file, done, files.length);
    const { providers } = deck;
    const report = await importFile(file, {
      from: undefined,
      providers,
      project,
      upstreams,
      keeper,
      now: Date.now(),
    });
    if (file.isNamed || report.unreadable === undefined) reports.push(report);
  }
  return reports;
}
