import { lstatSync } from "node:fs";
import { join } from "node:path";
import { getBlobPath } from "../../core/cassette/blobs.ts";
import { isNoFile, readBytesNow, isWithoutLinks } from "./read-file.ts";
import { claimName, discard, makeFolders, renameOver, syncFolder, writeTemporary } from "./durable-write.ts";

export const BLOBS = "blobs";

/** Returns the content of a blob; undefined if there is no regular file of an allowed size. */
export function readBlob(dir: string, sha256: string): Uint8Array | undefined {
  if (!isWithoutLinks(dir, BLOBS)) return undefined;
  try {
    return readBytesNow(join(dir, getBlobPath(sha256)));
  } catch (error) {
    if (isNoFile(error)) return undefined;
    throw error;
  }
}

/** Writes blobs before the recording that names them. A blob is named by its content, so existing ones are kept. */
export async function writeBlobs(dir: string, blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const path = await makeFolders(dir, BLOBS);
  for (const [sha256, bytes] of blobs) {
    const target = join(dir, getBlobPath(sha256));
    const standing = lstatSync(target, { throwIfNoEntry: false });
    if (standing?.isFile() === true && standing.size === bytes.byteLength) continue;
    await writeBlob(path, target, bytes);
  }
  await syncFolder(path);
}

async function writeBlob(folder: string, target: string, bytes: Uint8Array): Promise<void> {
  const temporary = await writeTemporary(folder, bytes);
  try {
    if (claimName(temporary, target)) return;
    // The existing file has another size than its name requires, so it is damaged.
    if (lstatSync(target).size !== bytes.byteLength) renameOver(temporary, target);
  } finally {
    await discard(temporary);
  }
}
