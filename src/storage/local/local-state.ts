import { localize } from "../../core/base/localize.ts";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getErrorCode, runStorageTask, TAKEN, recoverFromCodes } from "../folder/failures.ts";
import { withLock } from "./lock.ts";
import { readText, isWithoutLinks } from "../folder/read-file.ts";
import { makeFolders, replaceWhole } from "../folder/durable-write.ts";

/** The folder in a cassette folder for what belongs to this machine: git ignores it. */
export const LOCAL = ".local";

/** A small value of this machine, as it was found. */
export interface LocalState {
  /** Undefined where there is none, or none that can be read. */
  readonly value: unknown;
  /** Why it could not be read, as a sentence for a person; it begins anew then. */
  readonly broken?: string;
}

/**
 * Reads a small value of this machine; undefined where there is none or what is there is not JSON: it can be
 * done without. `name` is a plain file name without extension, e.g. "candidates".
 */
export async function readLocal(dir: string, name: string): Promise<unknown> {
  return (await readLocalState(dir, name)).value;
}

/** Like `readLocal`, but reports a file that cannot be read. Never throws. */
export async function readLocalState(dir: string, name: string): Promise<LocalState> {
  const path = fileOf(dir, name);
  if (!mayReadLocal(dir)) return { value: undefined };
  try {
    return { value: JSON.parse(await readText(path)) as unknown };
  } catch (error) {
    if (getErrorCode(error) === "ENOENT" || getErrorCode(error) === "ENOTDIR") return { value: undefined };
    const why =
      error instanceof SyntaxError ? localize("it is not JSON") : (getErrorCode(error) ?? String(error));
    return {
      value: undefined,
      broken: localize("{0} cannot be read ({1}), so its content starts again empty.", path, why),
    };
  }
}

/**
 * Changes a value, one process at a time, and resolves to the new one. A reader finds the old or the new one, whole.
 * `change` receives undefined if there is none that
 * can be read; a broken file is kept as `<name>.broken.json`. Writes nothing if `change` returns undefined or the
 * same value.
 * @throws TapedeckError `tapedeck_cassette` if it cannot be written.
 */
export async function updateLocal<T>(
  dir: string,
  name: string,
  change: (now: unknown) => T,
): Promise<{ readonly value: T; readonly broken?: string }> {
  const target = fileOf(dir, name);
  return runStorageTask(dir, async () => {
    const folder = await openLocalFolder(dir);
    return withLock(join(folder, `${name}.lock`), async () => {
      const now = await readLocalState(dir, name);
      if (now.broken !== undefined)
        await rename(target, join(folder, `${name}.broken.json`)).catch(() => undefined);
      const value = change(now.value);
      if (value !== undefined && value !== now.value)
        await replaceWhole(target, `${JSON.stringify(value)}\n`);
      return { value, ...(now.broken !== undefined && { broken: now.broken }) };
    });
  });
}

/** Makes the folder for what belongs to this machine, or one in it. Resolves to its absolute path. */
export async function openLocalFolder(dir: string, inside?: string): Promise<string> {
  const folder = await makeFolders(dir, LOCAL);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(
    recoverFromCodes(TAKEN, undefined),
  );
  return inside === undefined ? folder : makeFolders(dir, getLocalPath(inside));
}

/** Whether the folder is one: what a link in its place leads to is not of this cassette folder. */
export function mayReadLocal(dir: string): boolean {
  return isWithoutLinks(dir, LOCAL);
}

/** Where something of this machine is, relative to the cassette folder. */
export const getLocalPath = (inside: string): string => `${LOCAL}/${inside}`;

function fileOf(dir: string, name: string): string {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`"${name}" is not a name for local state`);
  return join(dir, LOCAL, `${name}.json`);
}
