import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { findUserFolder } from "./user-folder.ts";

/*
 * Terminals refer to the hooks by path, long after their window is closed, and Node does not start if NODE_OPTIONS names a
 * missing file. So the hooks are copied to a folder of the user that updates and removal of the extension do not touch.
 * Each version has a folder named by its content hash. Its files are compared byte by byte before any process uses them.
 */
export interface StableHooksOptions {
  /** The folder with `javascript/` and `python/` as it came with the program, absolute. */
  readonly source: string;
  /** As `findHooksPlace` gives it. */
  readonly place: string;
}

/** Where a user's hooks lie, absolute. */
export function findHooksPlace(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return join(findUserFolder("data", env, home), "tapedeck", "hooks");
}

const FOLDERS = ["javascript", "python"] as const;

/**
 * Copies the hooks of this version to the user's folder, or repairs the copy, and returns its path. Other versions stay,
 * because a terminal may still name them.
 * @throws if the folder cannot be used: it cannot be written, or other users may write it.
 */
export async function copyStableHooks({ source, place }: StableHooksOptions): Promise<string> {
  const files = await filesOf(source);
  const folder = join(place, versionOf(files));
  await mkdir(place, { recursive: true, mode: 0o700 });
  for (const one of [folder, ...FOLDERS.map((name) => join(folder, name))])
    await mkdir(one, { recursive: true, mode: 0o700 });
  for (const one of [place, folder, ...FOLDERS.map((name) => join(folder, name))]) await expectOwn(one);
  for (const [name, bytes] of files) await putRight(join(folder, name), bytes);
  return folder;
}

type Files = ReadonlyMap<string, Uint8Array>;

async function filesOf(source: string): Promise<Files> {
  const files = new Map<string, Uint8Array>();
  for (const folder of FOLDERS) {
    const names = (await readdir(join(source, folder))).filter((name) => /\.(?:cjs|py)$/.test(name));
    for (const name of names.sort())
      files.set(join(folder, name), await readFile(join(source, folder, name)));
  }
  return files;
}

function versionOf(files: Files): string {
  const hash = createHash("sha256");
  for (const [name, bytes] of files) hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  return hash.digest("hex").slice(0, 16);
}

async function expectOwn(folder: string): Promise<void> {
  const stat = await lstat(folder);
  const isOwn = process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0);
  if (!stat.isDirectory() || !isOwn)
    throw new Error(`${folder} is not a folder that only its user may write`);
}

/** Whole or not at all: another window may read it at this moment, and the machine may lose its power. */
async function putRight(path: string, bytes: Uint8Array): Promise<void> {
  if (await holds(path, bytes)) return;
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    if (!(await holds(path, bytes))) throw error; // else another window was first
  }
}

async function holds(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    return (await lstat(path)).isFile() && (await readFile(path)).equals(bytes);
  } catch {
    return false;
  }
}
