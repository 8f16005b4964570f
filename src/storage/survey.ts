import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { byAddress, entryReader, type NoEntry } from "../core/cassette/address.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { Stray } from "../core/cassette/store.ts";
import { codeOf, storageFailure } from "./failures.ts";
import { isTemporary } from "./temporary.ts";

/** All that lies under `calls`, by names alone. */
export interface Survey {
  readonly addresses: readonly RecordingAddress[];
  readonly strays: readonly Stray[];
  /** Absolute paths of unfinished files of ours. */
  readonly temporaries: readonly string[];
}

/** What systems and git leave lying about on purpose. */
const HARMLESS = new Set([
  ".DS_Store",
  "Thumbs.db",
  "desktop.ini",
  ".gitkeep",
  ".gitignore",
  ".gitattributes",
]);

/** Reads the folders and no file. No folder is no recording. @throws TapedeckError where one cannot be read. */
export async function survey(dir: string): Promise<Survey> {
  const found: Found = { dir, strays: [], temporaries: [] };
  try {
    const addresses = (await isFolder("calls", found)) ? await visit("calls", found) : [];
    const strays = found.strays.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { ...found, strays, addresses: addresses.sort(byAddress) };
  } catch (error) {
    throw storageFailure(dir, error);
  }
}

interface Found {
  readonly dir: string;
  readonly strays: Stray[];
  readonly temporaries: string[];
}

/** `calls`, a provider's folder, a folder of keys: recordings lie in the last and folders in the others. */
async function visit(folder: string, found: Found): Promise<RecordingAddress[]> {
  const names = await namesIn(join(found.dir, folder));
  if (folder.split("/").length === 3) return recordingsAmong(names, folder, found);
  const folders = names.filter((child) => child.isDirectory()).map(({ name }) => `${folder}/${name}`);
  recordingsAmong(
    names.filter((child) => !child.isDirectory()),
    folder,
    found,
  );
  // In order, so that sorting the whole has next to nothing to do.
  return (await Promise.all(folders.sort().map((path) => visit(path, found)))).flat();
}

function recordingsAmong(names: readonly Dirent[], folder: string, found: Found): RecordingAddress[] {
  const read = entryReader(folder);
  const recordings: RecordingAddress[] = [];
  for (const child of names) {
    const address = read(child.name);
    if (child.isFile() && !("wrong" in address)) recordings.push(address);
    else if (child.isFile() && isTemporary(child.name))
      found.temporaries.push(join(found.dir, folder, child.name));
    else if (!HARMLESS.has(child.name)) {
      found.strays.push({ path: `${folder}/${child.name}`, reason: reasonFor(child, address) });
    }
  }
  return recordings.sort(byAddress);
}

function reasonFor(child: Dirent, address: RecordingAddress | NoEntry): string {
  if (child.isSymbolicLink()) return "it is a symbolic link, and none is followed here.";
  if (child.isDirectory()) return "it is a folder where recordings lie.";
  if (!child.isFile()) return "it is not a file.";
  return "wrong" in address ? address.wrong : "it is not a recording.";
}

async function isFolder(path: string, found: Found): Promise<boolean> {
  try {
    const stats = await lstat(join(found.dir, path));
    if (stats.isDirectory()) return true;
    const what = stats.isSymbolicLink()
      ? "a symbolic link, and none is followed here"
      : "a file in the place of a folder";
    found.strays.push({ path, reason: `it is ${what}.` });
    return false;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function namesIn(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    // Deleted since its name was read.
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
