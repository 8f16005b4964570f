import { localize } from "../../core/base/localize.ts";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { createCassetteFolderUnusable } from "../../core/base/errors.ts";
import { GONE, TAKEN, recoverFromCodes, getErrorCode } from "./failures.ts";
import { READ_LIMITS, readText } from "./read-file.ts";

const TEMPORARY = /^\.[0-9]+-[0-9a-f]{16}\.tmp$/;
const DAY_MS = 86_400_000;
/** Maximum bytes or characters that are written synchronously. */
const AT_ONCE = 262_144;

const writeAside = (file: number, content: string | Uint8Array): Promise<void> =>
  new Promise((done, fail) => writeFile(file, content, (error) => (error ? fail(error) : done())));
/** Looks `fsync` up at each call, because tests replace it. `promisify` takes up to 2 ms at a start. */
const syncFile = (file: number): Promise<void> =>
  new Promise((done, fail) => fsync(file, (error) => (error ? fail(error) : done())));

/** Whether a file is one of ours on its way to its name: never a recording, never a stray. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** A name in a folder that nothing has. */
export function createTemporaryPath(folder: string): string {
  return join(folder, `.${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

export interface WriteOptions {
  /** The mode of the file, as chmod takes it. */
  readonly access?: number;
  /** Whether the bytes are on disk before the file has its name. Default true. */
  readonly isSynced?: boolean;
}

/** Writes a temporary file and resolves to its path. Leaves no file if it fails. */
export async function writeTemporary(
  folder: string,
  content: string | Uint8Array,
  { access, isSynced = true }: WriteOptions = {},
): Promise<string> {
  const path = createTemporaryPath(folder);
  const file = openSync(path, "wx", access);
  try {
    try {
      if (content.length <= AT_ONCE) writeFileSync(file, content);
      else await writeAside(file, content);
      if (isSynced) await syncFile(file);
      return path;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    await discard(path);
    throw error;
  }
}

/** Puts a file in the place of the one at `path`, whole or not at all. */
export async function replaceWhole(
  path: string,
  content: string | Uint8Array,
  options?: WriteOptions,
): Promise<void> {
  const temporary = await writeTemporary(dirname(path), content, options);
  try {
    renameOver(temporary, path);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
}

/** Codes of Windows for a rename to a file that another program has open, such as a virus scanner or a reader. */
const IN_USE = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Milliseconds that such a file is waited for. */
const IN_USE_MS = 1_000;
const LOOK_AGAIN_MS = 10;

/**
 * Renames a file to a name that may be taken. On Windows, waits for a file that another program has open. The wait is
 * synchronous, so that nothing in this process comes between the caller's checks and the rename.
 */
export function renameOver(from: string, to: string): void {
  let until: number | undefined;
  for (;;)
    try {
      return renameSync(from, to);
    } catch (error) {
      until ??= performance.now() + IN_USE_MS;
      const isInUse = process.platform === "win32" && IN_USE.has(getErrorCode(error) ?? "");
      if (!isInUse || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
}

/** Deletes a temporary file. Never throws. */
export async function discard(path: string): Promise<void> {
  try {
    unlinkSync(path);
  } catch {
    // Gone, or in use: what is left goes with what dead processes left.
  }
}

/** Deletes the temporary files in a cassette folder that processes left when they were killed. */
export async function discardLeftOver(dir: string): Promise<void> {
  await Promise.all((await findLeftOver(dir, Date.now())).map(discard));
}

/** Returns the temporary files in a cassette folder that were not written to for a day, as absolute paths. */
export async function findLeftOver(dir: string, now: number): Promise<readonly string[]> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true }).catch(
    recoverFromCodes(GONE, []),
  );
  const paths = files
    .filter((file) => file.isFile() && isTemporary(file.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const areLeftOver = await Promise.all(paths.map((path) => isLeftOver(path, now)));
  return paths.filter((_, index) => areLeftOver[index]).sort();
}

async function isLeftOver(path: string, now: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs > DAY_MS;
}

/** Lines of a `.gitignore` that keep temporary files out of commits. */
const IGNORED = ["# Files that Tapedeck is still writing.", ".*.tmp", ""].join("\n");

/** Makes git ignore temporary files in a cassette folder. A `.gitignore` that is there keeps its lines. */
export async function ignoreTemporary(dir: string): Promise<void> {
  const path = join(dir, ".gitignore");
  const before = await readText(path, { most: READ_LIMITS.config }).catch(recoverFromCodes(GONE, undefined));
  if (before === undefined) return writeFileSync(path, IGNORED, { flag: "wx" });
  if (before.includes(IGNORED)) return;
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await replaceWhole(path, `${before}${gap}${IGNORED}`);
}

/** Codes of systems that cannot sync a folder: Windows cannot open one, some file systems have no such call. */
const NO_SYNC = new Set(["EPERM", "EISDIR", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EBADF"]);

/** Makes the names in a folder durable, as far as the system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const file = openSync(folder, "r");
    try {
      await syncFile(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!NO_SYNC.has(getErrorCode(error) ?? "")) throw error;
  }
}

/** Folders that this process made and whose names may not be durable yet. */
const unsynced = new Set<string>();

/** Makes folders as `makeFoldersNow` does. Resolves to the absolute path once the names of new folders are durable. */
export async function makeFolders(dir: string, inside: string): Promise<string> {
  const folder = makeFoldersNow(dir, inside);
  await syncNewFolders(folder);
  return folder;
}

/**
 * Makes `inside`, a path with "/", in a cassette folder, and all above it, and returns its absolute path. The names of new
 * folders are not durable before `syncNewFolders`.
 * @throws TapedeckError where a link or a file is in the way: nothing is written through a link.
 */
export function makeFoldersNow(dir: string, inside: string): string {
  let shown = "";
  for (const segment of inside.split("/")) {
    if (shown !== "") shown += "/";
    shown += segment;
    const path = join(dir, shown);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      if (shown === segment) makeRoot(dir);
      makeFolder(path);
    }
    const stats = found ?? lstatSync(path);
    if (stats.isSymbolicLink())
      throw createCassetteFolderUnusable(
        dir,
        localize("{0} in it is a symbolic link, and Tapedeck does not write through links.", shown),
      );
    if (!stats.isDirectory())
      throw createCassetteFolderUnusable(dir, localize("{0} in it is a file.", shown));
  }
  return join(dir, inside);
}

/** Makes the names of a folder and of all above it durable, even if another call made them. */
export async function syncNewFolders(folder: string): Promise<void> {
  const target = resolve(folder);
  const pending = [...unsynced].filter((path) => `${target}${sep}`.startsWith(`${path}${sep}`));
  await Promise.all(
    pending.map(async (path) => {
      await syncFolder(dirname(path));
      unsynced.delete(path);
    }),
  );
}

/** Creates a folder unless its name is already taken. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path);
    unsynced.add(resolve(path));
  } catch (error) {
    recoverFromCodes(TAKEN, undefined)(error);
  }
}

/**
 * Creates the cassette folder, which may be a link because the user named it. Folders are created one by one, because `recursive` never ends below /proc and similar folders.
 */
function makeRoot(dir: string): void {
  const missing: string[] = [];
  for (let path = resolve(dir); !isFolder(path) && path !== dirname(path); path = dirname(path))
    missing.unshift(path);
  for (const path of missing) {
    makeFolder(path);
    if (!isFolder(path)) throw createCassetteFolderUnusable(dir, localize("{0} is not a folder.", path));
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Codes of file systems without hard links (FAT, some network and FUSE ones). */
const NO_LINKS: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EINVAL",
  "EMLINK",
]);

/**
 * Gives a whole temporary file its name, unless the name is taken. Returns whether it got it. The caller discards the temporary file. Without hard links, two
 * processes that claim a name at the same moment can both get it.
 */
export function claimName(temporary: string, target: string): boolean {
  try {
    linkSync(temporary, target);
    return true;
  } catch (error) {
    const code = getErrorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    // In one step for this process: nothing comes between looking and renaming.
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
    renameSync(temporary, target);
    return true;
  }
}
