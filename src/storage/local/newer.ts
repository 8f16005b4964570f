import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { localFolder, localPath } from "./local-state.ts";
import { isWithoutLinks } from "../folder/read-file.ts";
import { discard } from "../folder/temporary.ts";

/**
 * New answers to calls whose recordings were edited meanwhile: kept on this machine beside the edited text, until one
 * takes its place. They lie at `.local/newer/calls/…`, as the recordings lie in the cassette folder.
 */
const NEWER = "newer";

/** Moves a whole file there, in the place of an older one. Resolves to its path in the folder; undefined where it cannot be kept. */
export async function keepNewer(dir: string, entry: string, temporary: string): Promise<string | undefined> {
  try {
    const folder = await localFolder(dir, `${NEWER}/${dirname(entry)}`);
    await rename(temporary, join(folder, basename(entry)));
    return newerPath(entry);
  } catch {
    return undefined;
  }
}

export async function dropNewer(dir: string, entry: string): Promise<void> {
  if (isWithoutLinks(dir, dirname(newerPath(entry)))) await discard(join(dir, newerPath(entry)));
}

const newerPath = (entry: string): string => localPath(`${NEWER}/${entry}`);
