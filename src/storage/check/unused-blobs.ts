import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { getBlobPath } from "../../core/cassette/blobs.ts";
import { BLOBS } from "../folder/blobs.ts";
import {
  getErrorCode,
  GONE,
  NOWHERE,
  runStorageTask,
  convertStorageFailure,
  recoverFromCodes,
} from "../folder/failures.ts";
import { getLocalPath } from "../local/local-state.ts";
import { readText, isWithoutLinks } from "../folder/read-file.ts";

/** A younger one may belong to a recording that is just being written: blobs come first. */
const YOUNG_MS = 3_600_000;
const NAME = /^[0-9a-f]{64}$/;

/**
 * The blobs that no file names, as paths relative to the cassette folder, sorted. `without`: entries that count as
 * gone. Every file among the recordings counts, also one that cannot be read, and so does what a refresh replaced.
 * @throws TapedeckError `tapedeck_cassette` where a folder or file cannot be read: then nothing is known.
 */
export async function findUnusedBlobs(
  dir: string,
  { without, now }: { readonly without: ReadonlySet<string>; readonly now: number },
): Promise<readonly string[]> {
  // The target of a link does not belong to the folder.
  if (!isWithoutLinks(dir, BLOBS)) return [];
  return runStorageTask(dir, async () => {
    const blobs = (await readdir(join(dir, BLOBS)).catch(recoverFromCodes(NOWHERE, []))).filter((name) =>
      NAME.test(name),
    );
    if (blobs.length === 0) return [];
    const named = await namedHashes(dir, without);
    const unused: string[] = [];
    for (const name of blobs.filter((hash) => !named.has(hash))) {
      const stats = await lstat(join(dir, getBlobPath(name)));
      if (stats.isFile() && now - stats.mtimeMs > YOUNG_MS) unused.push(getBlobPath(name));
    }
    return unused.sort();
  });
}

/** Deletes blobs. @throws TapedeckError where one cannot be deleted; one that is gone already is no failure. */
export async function removeBlobs(dir: string, paths: readonly string[]): Promise<void> {
  if (!isWithoutLinks(dir, BLOBS)) return;
  for (const path of paths) {
    await unlink(join(dir, path)).catch((error: unknown) => {
      if (getErrorCode(error) !== "ENOENT") throw convertStorageFailure(dir, error);
    });
  }
}

/** Whatever looks like a hash in a file is taken for one: rather keep too much. */
async function namedHashes(dir: string, without: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const folder of ["calls", getLocalPath("earlier")]) {
    for (const name of await filesBelow(join(dir, folder))) {
      if (folder === "calls" && without.has(`calls/${name}`)) continue;
      const text = await readText(join(dir, folder, name)).catch(recoverFromCodes(GONE, ""));
      for (const [hash] of text.matchAll(/[0-9a-f]{64}/g)) hashes.add(hash);
    }
  }
  return hashes;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    recoverFromCodes(NOWHERE, []),
  );
  return found
    .filter((child) => child.isFile())
    .map((child) =>
      join(child.parentPath, child.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}
