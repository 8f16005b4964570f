import { localize } from "../../core/base/localize.ts";
import {
  closeSync,
  fdatasync,
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
import { readdir, rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createCassetteFolderUnusable } from "../../core/base/errors.ts";
import { GONE, TAKEN, recoverFromCodes, getErrorCode } from "./failures.ts";
import { hasEnded, OWN_PROCESS_NAME } from "./process-name.ts";
import { READ_LIMITS, readText } from "./read-file.ts";

const TEMPORARY = /^\.[0-9]+-[0-9a-f]{16}\.tmp$/;
const DAY_MS = 86_400_000;
/** Maximum bytes or characters that are written synchronously. For these, the thread pool costs more than writing. */
const AT_ONCE = 262_144;

/** Bytes that are synced before more are written, so that other tasks do not wait for more than these. */
const PIECE = 4 * 1_048_576;

const [writeWhole, syncBytes] = [promisify(writeFile), promisify(fdatasync)];
/** Looks `fsync` up at each call, because tests replace it. Making a promisified function takes longer than the call. */
const syncFile = (file: number): Promise<void> =>
  new Promise((done, fail) => fsync(file, (error) => (error ? fail(error) : done())));

/** Whether a file is one of ours on its way to its name: never a recording, never a stray. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

let named = 0;

/** A name in a folder that nothing has. */
export function createTemporaryPath(folder: string): string {
  named = (named + 1) % 0x1_000_000;
  return join(folder, `.${OWN_PROCESS_NAME}${named.toString(16).padStart(6, "0")}.tmp`);
}

/** Writes a temporary file and resolves to its path once its bytes are on disk. Leaves no file if it fails. */
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
  const path = createTemporaryPath(folder);
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

/** Deletes a temporary file. Never throws. */
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
  if (hasEnded(basename(path).slice(1))) return true;
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
    if (!NO_SYNC.has(getErrorCode(error) ?? "")) throw error;
  }
}

/** Makes folders inside a cassette folder, for one process. */
export interface FolderMaker {
  /**
   * Makes `inside`, a path with "/", and all above it.
   * @throws TapedeckError where a link or a file is in the way: nothing is written through a link.
   */
  make(inside: string): MadeFolder;
  /** The same; resolves to the absolute path once all of it is durable. */
  ensure(inside: string): Promise<string>;
}

export interface MadeFolder {
  /** Absolute. */
  readonly path: string;
  /** Resolves once the names of the folder and of all above it are durable. */
  readonly durable: Promise<unknown>;
}

export function createFolderMaker(dir: string): FolderMaker {
  /** The syncs that make folders durable, by path, inode, and birth: inodes are given anew. */
  const syncs = new Map<string, Promise<void>>();
  let rooted: Promise<unknown> = Promise.resolve();

  const makeStep = (path: string, shown: string): Promise<void> => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isMade = found === undefined && makeFolder(path);
    const stats = found ?? lstatSync(path);
    if (stats.isSymbolicLink())
      throw createCassetteFolderUnusable(
        dir,
        localize("{0} in it is a symbolic link, and Tapedeck does not write through links.", shown),
      );
    if (!stats.isDirectory())
      throw createCassetteFolderUnusable(dir, localize("{0} in it is a file.", shown));
    const seen = `${stats.ino}:${stats.birthtimeMs}:${path}`;
    // A folder that is there may not be durable: another process may have made it a moment ago.
    const known = isMade ? undefined : syncs.get(seen);
    if (known !== undefined) return known;
    const sync = syncFolder(dirname(path));
    syncs.set(seen, sync);
    sync.catch(() => syncs.delete(seen));
    return sync;
  };
  const make: FolderMaker["make"] = (inside) => {
    const made = makeRoot(dir);
    if (made.length > 0)
      rooted = Promise.all(made).catch((error: unknown) => {
        rooted = Promise.resolve();
        throw error;
      });
    const segments = inside.split("/");
    const steps = segments.map((_, index) => {
      const shown = segments.slice(0, index + 1).join("/");
      return makeStep(join(dir, shown), shown);
    });
    const durable = Promise.all([rooted, ...steps]);
    durable.catch(() => undefined);
    return { path: join(dir, inside), durable };
  };
  return {
    make,
    async ensure(inside) {
      const { path, durable } = make(inside);
      await durable;
      return path;
    },
  };
}

/** Creates a folder; false if its name is already taken. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    return recoverFromCodes(TAKEN, false)(error);
  }
}

/**
 * Creates the cassette folder, which may be a link because the user named it. Returns the syncs that make it durable.
 * Folders are created one by one, because `recursive` never ends below /proc and similar folders.
 */
function makeRoot(dir: string): readonly Promise<void>[] {
  const missing: string[] = [];
  for (let path = resolve(dir); !isFolder(path) && path !== dirname(path); path = dirname(path))
    missing.unshift(path);
  return missing.map((path) => {
    makeFolder(path);
    if (!isFolder(path)) throw createCassetteFolderUnusable(dir, localize("{0} is not a folder.", path));
    return syncFolder(dirname(path));
  });
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
 * Gives a whole temporary file its name, unless the name is taken. Resolves to whether it got it. Without hard links, two
 * processes that claim a name at the same moment can both get it.
 */
export async function claimName(temporary: string, target: string): Promise<boolean> {
  try {
    linkSync(temporary, target);
    await discard(temporary);
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
