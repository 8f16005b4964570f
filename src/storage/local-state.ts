import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, storageFailure } from "./failures.ts";
import { createFolderMaker } from "./folders.ts";
import { discard, writeTemporary } from "./temporary.ts";

/** The folder in a cassette folder for what belongs to this machine: git ignores it. */
const LOCAL = ".local";

/**
 * Reads a small value of this machine; undefined where there is none or what is there is not JSON: it can be
 * done without. `name` is a plain file name without extension, e.g. "candidates".
 */
export async function readLocal(dir: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(fileOf(dir, name), "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Writes a value so that a reader finds the old or the new one, whole. Of two writers the last wins.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export async function writeLocal(dir: string, name: string, value: unknown): Promise<void> {
  const target = fileOf(dir, name);
  try {
    const folder = await createFolderMaker(dir).ensure(LOCAL);
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    const temporary = await writeTemporary(folder, `${JSON.stringify(value, null, 2)}\n`);
    try {
      await rename(temporary, target);
    } catch (error) {
      await discard(temporary);
      throw error;
    }
  } catch (error) {
    throw storageFailure(dir, error);
  }
}

function fileOf(dir: string, name: string): string {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`"${name}" is not a name for local state`);
  return join(dir, LOCAL, `${name}.json`);
}
