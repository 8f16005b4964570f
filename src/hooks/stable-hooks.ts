import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { userFolder } from "./user-folder.ts";

/*
 * Terminals know the hooks by their path, long after the window that opened them is gone, and a Node whose NODE_OPTIONS
 * names a file that is not there does not start. So they lie in a place of the user's that neither an update nor a
 * removal of the extension touches, each version in a folder named by its content; what stands there is compared with
 * what should, byte by byte, before any process is sent to it.
 */
export interface StableHooksOptions {
  /** The folder with `javascript/` and `python/` as it came with the program, absolute. */
  readonly source: string;
  /** As `hooksPlace` gives it. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Where a user's hooks lie, absolute. */
export function hooksPlace(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return join(userFolder("data", env, home), "tapedeck", "hooks");
}

/** How long terminals that are opened again may know a version that no window has used since. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;
/** Its time says when a window used a version last. */
const USED = "used";
const FOLDERS = ["javascript", "python"] as const;
const PRELOAD = join("javascript", "tapedeck-preload.cjs");
/** What stays of a version for ever, so that a terminal that still knows it can start a Node. */
const STUB = "// The rest of this version of Tapedeck was removed; what names this file goes on working.\n";

/**
 * Puts the hooks of this version into the user's place, or puts right what stands there. Gives their folder. Versions
 * that nobody has used for long are taken away, but for what keeps a Node from failing.
 * @throws where the place cannot be used: it cannot be written, or others than the user may write it.
 */
export async function stableHooks({ source, place, now }: StableHooksOptions): Promise<string> {
  const files = await filesOf(source);
  const version = versionOf(files);
  const folder = join(place, version);
  await mkdir(place, { recursive: true, mode: 0o700 });
  for (const one of [folder, ...FOLDERS.map((name) => join(folder, name))])
    await mkdir(one, { recursive: true, mode: 0o700 });
  for (const one of [place, folder, ...FOLDERS.map((name) => join(folder, name))]) await expectOwn(one);
  for (const [name, bytes] of files) await putRight(join(folder, name), bytes);
  await markUsed(join(folder, USED), now);
  await retireOthers(place, version, now).catch(() => {}); // next time
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

async function markUsed(path: string, now: number): Promise<void> {
  await writeFile(path, "", { mode: 0o600 });
  await utimes(path, now / 1_000, now / 1_000);
}

async function retireOthers(place: string, version: string, now: number): Promise<void> {
  for (const name of await readdir(place)) {
    if (name === version || !/^[0-9a-f]{16}$/.test(name)) continue;
    const used = await lstat(join(place, name, USED)).catch(() => undefined);
    if (used !== undefined && now - used.mtimeMs > KEPT_MS) await retire(join(place, name));
  }
}

async function retire(folder: string): Promise<void> {
  await expectOwn(folder);
  await putRight(join(folder, PRELOAD), Buffer.from(STUB));
  const rest = (await readdir(join(folder, "javascript"))).map((name) => join("javascript", name));
  for (const name of [...rest, "python", USED])
    if (name !== PRELOAD) await rm(join(folder, name), { recursive: true, force: true });
}
