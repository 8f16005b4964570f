import { closeSync, fdatasync, fsync, openSync, unlinkSync, writeFile, writeFileSync } from "node:fs";
import { readdir, rename, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { GONE, whereCode, codeOf } from "./failures.ts";
import { hasEnded, OWN_PROCESS_NAME } from "./process-name.ts";
import { READ_LIMITS, readText } from "./read-file.ts";
import { setImmediate } from "node:timers/promises";

const TEMPORARY = /^\.[0-9]+-[0-9a-f]{16}\.tmp$/;
const DAY_MS = 86_400_000;
/** Bytes or characters. What is longer is written in the thread pool: for what is shorter, the way there costs more. */
const AT_ONCE = 262_144;

/** Bytes that are on disk before more are written: whoever waits for the disk meanwhile waits for no more than these. */
const PIECE = 4 * 1_048_576;

const [writeWhole, syncBytes] = [promisify(writeFile), promisify(fdatasync)];
/** Looked up at each call, because tests replace it. */
const syncFile = (file: number): Promise<void> => promisify(fsync)(file);

/** Whether a file is one of ours on its way to its name: never a recording, never a stray. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

let named = 0;

/** A name in a folder that nothing has. */
export function temporaryPath(folder: string): string {
  named = (named + 1) % 0x1_000_000;
  return join(folder, `.${OWN_PROCESS_NAME}${named.toString(16).padStart(6, "0")}.tmp`);
}

/** Writes a file under a name of its own and resolves to its path once its bytes are on disk. Leaves none behind. */
export async function writeTemporary(
  folder: string,
  content: string | Uint8Array,
  access?: number,
): Promise<string> {
  return writeOpen(folder, content, { access, isToLast: true });
}

/** The same without waiting for the disk. */
export function writeForNow(folder: string, content: Uint8Array): Promise<string> {
  return writeOpen(folder, content, { isToLast: false });
}

interface Writing {
  readonly access?: number | undefined;
  /** Whether its bytes are on disk before it has its name. */
  readonly isToLast: boolean;
}

async function writeOpen(
  folder: string,
  content: string | Uint8Array,
  { access, isToLast }: Writing,
): Promise<string> {
  const path = temporaryPath(folder);
  const file = openSync(path, "wx", access);
  try {
    try {
      if (content.length <= AT_ONCE) writeFileSync(file, content);
      else await writeLong(file, content, isToLast);
      if (isToLast) await syncFile(file);
      return path;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    await discard(path);
    throw error;
  }
}

async function writeLong(file: number, content: string | Uint8Array, isToLast: boolean): Promise<void> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    if (at > 0 && isToLast) await syncBytes(file);
    await writeWhole(file, bytes.subarray(at, at + PIECE));
  }
}

/** Puts a file in the place of the one at `path`, whole or not at all. `access`: who may do what with it, as chmod takes it. */
export async function replaceWhole(
  path: string,
  content: string | Uint8Array,
  access?: number,
): Promise<void> {
  const temporary = await writeTemporary(dirname(path), content, access);
  try {
    await rename(temporary, path);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
}

/** Deletes a file of ours; that it cannot be is no failure of what was asked for. */
export async function discard(path: string): Promise<void> {
  try {
    unlinkSync(path);
  } catch {
    // Gone, or in use: what is left goes with what dead processes left.
  }
}

/** Deletes the temporary files in a cassette folder that no running process writes. */
export async function discardLeftOver(dir: string): Promise<void> {
  await Promise.all((await findLeftOver(dir, Date.now())).map(discard));
}

/**
 * The temporary files in a cassette folder that no running process writes, as absolute paths. A file of an unknown
 * process counts after a day.
 */
export async function findLeftOver(dir: string, now: number): Promise<readonly string[]> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true }).catch(whereCode(GONE, []));
  const paths = files
    .filter((file) => file.isFile() && isTemporary(file.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const areLeftOver = await Promise.all(paths.map((path) => isLeftOver(path, now)));
  return paths.filter((_, index) => areLeftOver[index]).sort();
}

async function isLeftOver(path: string, now: number): Promise<boolean> {
  if (hasEnded(basename(path).slice(1))) return true;
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs > DAY_MS;
}

/** Lines of a `.gitignore` that keep temporary files out of commits. */
const IGNORED = ["# Files that Tapedeck is still writing.", ".*.tmp", ""].join("\n");

/** Makes git ignore temporary files in a cassette folder. A `.gitignore` that is there keeps its lines. */
export async function ignoreTemporary(dir: string): Promise<void> {
  const path = join(dir, ".gitignore");
  const before = await readText(path, { most: READ_LIMITS.config }).catch(whereCode(GONE, undefined));
  if (before === undefined) return writeFileSync(path, IGNORED, { flag: "wx" });
  if (before.includes(IGNORED)) return;
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await replaceWhole(path, `${before}${gap}${IGNORED}`);
}

/** Codes of systems that cannot sync a folder: Windows cannot open one, some file systems have no such call. */
const NO_SYNC = new Set(["EPERM", "EISDIR", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EBADF"]);

const folderSyncs = new Map<string, Promise<void>>();

/** Makes the names in a folder durable, as far as the system can. Calls of one turn of the event loop share a sync. */
export function syncFolder(folder: string): Promise<void> {
  const planned = folderSyncs.get(folder);
  if (planned !== undefined) return planned;
  const sync = setImmediate().then(() => {
    folderSyncs.delete(folder);
    return syncNames(folder);
  });
  folderSyncs.set(folder, sync);
  return sync;
}

async function syncNames(folder: string): Promise<void> {
  try {
    const file = openSync(folder, "r");
    try {
      await syncFile(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!NO_SYNC.has(codeOf(error) ?? "")) throw error;
  }
}
