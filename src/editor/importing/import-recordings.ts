import type { Deck } from "../../deck/deck.ts";
import { findFiles, type ImportFile } from "../../importing/find-files.ts";
import { importFiles } from "../../importing/import-files.ts";
import type { FileReport } from "../../importing/report.ts";

export interface Importing {
  readonly deck: Deck;
  /** Addresses by provider that the user named. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** Against which what is shown of a path is relative. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Told of each file before it is read. */
  readonly onProgress: (file: ImportFile, done: number, all: number) => void;
}

/**
 * Imports files and what lies below folders, as `tapedeck import` does.
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
  const { store, providers } = deck;
  return importFiles(files, {
    store,
    providers,
    project,
    root,
    upstreams,
    from: undefined,
    now: Date.now(),
    signal,
    onFile: (file, done) => onProgress(file, done, files.length),
  });
}
