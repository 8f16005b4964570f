import type { CassetteStore } from "../core/cassette/store.ts";
import type { ImportFile } from "./find-files.ts";
import { importFile, type FileImport } from "./import-file.ts";
import { createKeeper } from "./keep.ts";
import type { FileReport } from "./report.ts";

export interface FilesImport extends Omit<FileImport, "keeper"> {
  readonly store: CassetteStore;
  /** Told of each file before it is read, and how many came before it. */
  readonly onFile?: (file: ImportFile, done: number) => void;
  /** Stops between two files; what was imported stays. */
  readonly signal?: AbortSignal;
}

/**
 * Imports files, one after the other. In a folder there are other files too: of its files only those are reported that
 * hold recordings. @throws as `importFile`
 */
export async function importFiles(
  files: readonly ImportFile[],
  { store, onFile, signal, ...importing }: FilesImport,
): Promise<readonly FileReport[]> {
  const keeper = createKeeper(store);
  const reports: FileReport[] = [];
  for (const [done, file] of files.entries()) {
    if (signal?.aborted === true) break;
    onFile?.(file, done);
    const report = await importFile(file, { ...importing, keeper });
    if (file.isNamed || report.unreadable === undefined) reports.push(report);
  }
  await keeper.finish();
  return reports;
}
