import { open, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { cassetteFolderUnusable } from "../core/errors.ts";
import { codeOf } from "./failures.ts";
import { discard } from "./temporary.ts";

/** Longer than any write takes: who holds a lock for this long has died. */
const STALE_MS = 15_000;
const PATIENCE_MS = 30_000;
const BETWEEN_MS = 15;

/**
 * Runs a task while no other process that asks does so for the same file. The lock is a file beside it that is left
 * behind only by a process that died, and then counts for nothing after a quarter of a minute.
 * @throws TapedeckError `tapedeck_cassette` where the lock is not to be had in half a minute
 */
export async function withFileLock<T>(path: string, task: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const until = Date.now() + PATIENCE_MS;
  while (!(await take(lock))) {
    if (Date.now() > until) {
      throw cassetteFolderUnusable(path, `another process has held ${lock} for ${PATIENCE_MS / 1000} s.`);
    }
    await wait(BETWEEN_MS);
  }
  try {
    return await task();
  } finally {
    await discard(lock);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx")).close();
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const held = await stat(lock).catch(() => undefined);
  if (held !== undefined && Date.now() - held.mtimeMs > STALE_MS) await discard(lock);
  return false;
}
