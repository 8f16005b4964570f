import { posix } from "node:path";
import type { TestRef } from "../../core/call.ts";
import { addTo } from "../../core/group-by.ts";
import { isAtOrIn } from "../session/test-ref-model.ts";

/** Files that came and went without the editor: by `mv`, by git. Paths are relative to the workspace folder. */
export interface MovedFiles {
  created(file: string): void;
  /** A file, or a folder with all in it. */
  deleted(path: string): void;
  /** Finds out what became of the test files that went, once the system has reported all of a move. */
  settle(): Promise<void>;
}

interface MovedFilesOptions {
  /** Tests of the calls that are shown: those that failed or have no recording. */
  readonly tests: () => readonly TestRef[];
  readonly exists: (file: string) => Promise<boolean>;
  /** Whether a file declares a test of this name. */
  readonly declares: (file: string, test: TestRef) => Promise<boolean>;
  readonly renamed: (from: string, to: string) => void;
  readonly removed: (file: string) => void;
}

export function createMovedFiles(options: MovedFilesOptions): MovedFiles {
  const created = new Set<string>();
  const deleted = new Set<string>();
  return {
    created: (file) => void created.add(file),
    deleted: (path) => void deleted.add(path),
    async settle() {
      const [news, gone] = [[...created], [...deleted]];
      created.clear();
      deleted.clear();
      const byFile = new Map<string, TestRef[]>();
      for (const test of options.tests()) addTo(byFile, test.file, test);
      for (const [file, tests] of byFile) {
        if (!gone.some((path) => isAtOrIn(file, path)) || (await options.exists(file))) continue;
        const now = await newPlace(file, { tests, news }, options);
        if (now === undefined) options.removed(file);
        else options.renamed(file, now);
      }
    },
  };
}

/** The new file that declares all of these tests; of several, the one that kept the file's name. */
async function newPlace(
  file: string,
  { tests, news }: { readonly tests: readonly TestRef[]; readonly news: readonly string[] },
  { declares }: MovedFilesOptions,
): Promise<string | undefined> {
  const fits: string[] = [];
  for (const one of news) {
    const found = await Promise.all(tests.map((test) => declares(one, test)));
    if (found.every(Boolean)) fits.push(one);
  }
  return fits.find((one) => posix.basename(one) === posix.basename(file)) ?? fits[0];
}
