import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BLOBS } from "./blobs.ts";
import { isWithoutLinks } from "./read-file.ts";

/** What large binary parts of recordings take in a cassette folder. What a link leads to is somebody else's. */
export function blobSizes(dir: string): { readonly files: number; readonly bytes: number } {
  const folder = join(dir, BLOBS);
  if (!isWithoutLinks(dir, BLOBS) || lstatSync(folder, { throwIfNoEntry: false }) === undefined)
    return { files: 0, bytes: 0 };
  const sizes = readdirSync(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
  return { files: sizes.length, bytes: sizes.reduce((sum, stats) => sum + (stats?.size ?? 0), 0) };
}
