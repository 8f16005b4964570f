import { localize } from "../../core/base/localize.ts";
import { randomBytes } from "node:crypto";
import { link, lstat, open, rename, stat } from "node:fs/promises";
import { getErrorCode } from "../folder/failures.ts";
import { READ_LIMITS, readText } from "../folder/read-file.ts";
import { discard } from "../folder/durable-write.ts";

/** Maximum time that a lock is held, which is a read and a write of a small file. */
const STALE_MS = 10_000;
/** Maximum wait for a lock. */
const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 8;

/** Who of this process waits for a lock, by its path: they need no files to take turns. */
const turns = new Map<string, Promise<void>>();

/**
 * Does something while no other process of ours does it, by a file at `path`, whose folder is there. The lock of a
 * process that died is broken after a while.
 * @throws the system's error where the file cannot be made, and an Error where the turn does not come.
 */
export async function withLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  const before = turns.get(path) ?? Promise.resolve();
  const mine = before.then(() => doLocked(path, action));
  const over = mine.then(
    () => undefined,
    () => undefined,
  );
  turns.set(path, over);
  try {
    return await mine;
  } finally {
    if (turns.get(path) === over) turns.delete(path);
  }
}

async function doLocked<T>(path: string, action: () => Promise<T>): Promise<T> {
  const token = randomBytes(16).toString("hex");
  await acquire(path, token);
  try {
    return await action();
  } finally {
    if ((await readLock(path)) === token) await discard(path);
  }
}

async function acquire(path: string, token: string): Promise<void> {
  const begun = performance.now();
  let holder: Holder | undefined;
  while (!(await create(path, token))) {
    if (performance.now() - begun > PATIENCE_MS)
      throw new Error(localize("{0} is locked by another process.", path));
    if (await isNoLock(path)) throw new Error(localize("{0} is not a lock file. Delete it.", path));
    holder = await holderOf(path, holder);
    if (holder === undefined || !(await breakStale(path, holder)))
      await pause(LOOK_AGAIN_MS * (1 + Math.random()));
  }
}

/** The holder of a lock, and when it was first seen, on the monotonic clock. */
interface Holder {
  readonly token: string;
  readonly seenAt: number;
}

/** Ours are files: anything else in a lock's place holds nothing, and would be waited for in vain. */
async function isNoLock(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && !stats.isFile();
}

async function holderOf(path: string, known: Holder | undefined): Promise<Holder | undefined> {
  const token = await readLock(path);
  if (token === undefined) return undefined;
  return known?.token === token ? known : { token, seenAt: performance.now() };
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(token);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    // Windows reports EPERM for a file that is being deleted.
    if (getErrorCode(error) === "EEXIST" || getErrorCode(error) === "EPERM") return false;
    throw error;
  }
}

/** Of several that find a dead one's lock, one takes it away; a living one's that came between is put back. */
async function breakStale(path: string, { token, seenAt }: Holder): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  // A file's age means nothing where the clock was set back since; that it was held in vain all the while does.
  const age = Math.max(Date.now() - (stats?.mtimeMs ?? Date.now()), performance.now() - seenAt);
  if (stats === undefined || age < STALE_MS) return false;
  const aside = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await rename(path, aside);
  } catch {
    return false;
  }
  if ((await readLock(aside)) !== token) await link(aside, path).catch(() => undefined);
  await discard(aside);
  return true;
}

async function readLock(path: string): Promise<string | undefined> {
  return readText(path, { most: READ_LIMITS.mark }).catch(() => undefined);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
