import { closeSync, fsync, openSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { codeOf } from "./failures.ts";

/** What systems that cannot sync a folder answer: Windows cannot open one, some file systems have no such call. */
const NO_SYNC = new Set(["EPERM", "EISDIR", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EBADF"]);

const syncNow = (file: number): Promise<void> =>
  new Promise((resolve, reject) =>
    fsync(file, (error) => {
      if (error === null) resolve();
      else reject(error);
    }),
  );

/** Syncs that are done together. Each thing is synced once, however many ask. */
interface Round {
  readonly works: Map<string | number, Promise<void>>;
  readonly begins: Promise<void>;
  readonly ends: Promise<void>;
}

/** The round under way, and the one for whoever asks from now on: only that holds for certain what they wrote. */
let underWay: Promise<unknown> | undefined;
let next: Round | undefined;

/**
 * Makes the bytes of an open file durable, in the next round of syncs. One round of this process follows another, so
 * that the disk is asked for many recordings at once, and no file is made meanwhile: that would wait for the disk.
 */
export function syncOpen(file: number): Promise<void> {
  return inNextRound(file, () => syncNow(file));
}

/** Makes the names in a folder durable, as far as the system can, in the next round of syncs. */
export function syncFolder(folder: string): Promise<void> {
  return inNextRound(folder, () => syncNames(folder));
}

/** Resolves when no round is under way: the moment to make, name and remove files without waiting for the disk. */
export async function betweenSyncs(): Promise<void> {
  if (underWay === undefined) return;
  await underWay;
  await betweenSyncs();
}

async function inNextRound(what: string | number, sync: () => Promise<void>): Promise<void> {
  const { works, begins, ends } = (next ??= planRound());
  const known = works.get(what);
  const work = known ?? begins.then(sync);
  if (known === undefined) works.set(what, work);
  await ends;
  return work;
}

function planRound(): Round {
  const works = new Map<string | number, Promise<void>>();
  let begin = (): void => {};
  const begins = new Promise<void>((resolve) => (begin = resolve));
  return { works, begins, ends: runRound(works, begin) };
}

/** Begins one turn after the round before: who waited for that names and makes files first. */
async function runRound(works: ReadonlyMap<unknown, Promise<void>>, begin: () => void): Promise<void> {
  await betweenSyncs();
  await setImmediate();
  next = undefined;
  begin();
  underWay = Promise.allSettled(works.values());
  await underWay;
  underWay = undefined;
}

async function syncNames(folder: string): Promise<void> {
  try {
    const file = openSync(folder, "r");
    try {
      await syncNow(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!NO_SYNC.has(codeOf(error) ?? "")) throw error;
  }
}
