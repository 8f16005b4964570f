import { constants } from "node:fs";
import { link, lstat, mkdir, open, unlink, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { claimByReservation as claimReserved, NO_LINKS } from "../../storage/folder/atomic-write.ts";
import { codeOf, NOWHERE, TAKEN, whereCode } from "../../storage/folder/failures.ts";
import { reservationOf, temporaryPath } from "../../storage/folder/temporary.ts";
import { objectFailure, tooLarge } from "../failures.ts";
import { MOST_BYTES } from "../remote-store.ts";

/** A shared folder: what it is called, and where it is. */
export interface SharedFolder {
  readonly name: string;
  readonly dir: string;
}

/** Both are 0 or undefined on Windows, where neither pipes nor such links are found in a folder. */
const NO_FOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;

/** A reservation lasts for the moment of a rename. Clocks of machines differ, and so an old one is a very old one. */
const ABANDONED_MS = 3_600_000;

/**
 * The bytes of an object's file, or undefined where there is none. Links, pipes, devices and folders are refused.
 * @throws the system's errors, and TapedeckError `tapedeck_remote`
 */
export async function readShared(
  { name, dir }: SharedFolder,
  object: string,
): Promise<Uint8Array | undefined> {
  const file = await open(join(dir, object), constants.O_RDONLY | NO_WAIT | NO_FOLLOW).catch(
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      if (codeOf(error) === "ENXIO") throw noFile(name, object);
      throw error;
    },
  );
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw noFile(name, object);
    if (stats.size > MOST_BYTES) throw tooLarge(name, object);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Gives an object its name once it is whole and on disk, unless the name is taken. @throws as `readShared` */
export async function addShared(
  folder: SharedFolder,
  object: string,
  bytes: Uint8Array,
): Promise<"added" | "taken"> {
  const target = join(folder.dir, object);
  if (await isThere(target)) return "taken";
  await makeFolders(folder, object);
  const temporary = await writeTemporary(dirname(target), bytes);
  try {
    return (await claim(temporary, target)) ? "added" : "taken";
  } finally {
    await discard(temporary);
  }
}

/** Has a file count as used now. One that went meanwhile has no life to renew. */
export async function renewShared({ dir }: SharedFolder, object: string): Promise<void> {
  const now = new Date();
  try {
    await utimes(join(dir, object), now, now);
  } catch (error) {
    // Only its owner may do that on some drives, and then it is its owner's affair.
    if (!["ENOENT", "EPERM", "EACCES"].includes(codeOf(error) ?? "")) throw error;
  }
}

/** Deletes what a process that died left behind; what cannot be deleted stays. */
export async function discardAbandoned(path: string, now: number): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats !== undefined && now - stats.mtimeMs > ABANDONED_MS) await discard(path);
}

/** Whether a file can be made in it: makes one and takes it away. @throws the system's errors */
export async function tryWriting({ dir }: SharedFolder): Promise<void> {
  await discard(await writeTemporary(dir, new Uint8Array(1)));
}

async function makeFolders({ name, dir }: SharedFolder, object: string): Promise<void> {
  let path = dir;
  for (const segment of object.split("/").slice(0, -1)) {
    path = join(path, segment);
    await mkdir(path).catch(whereCode(TAKEN, undefined));
    const stats = await lstat(path);
    if (!stats.isDirectory())
      throw objectFailure(name, `has a link or a file in the place of the folder of ${object}.`);
  }
}

async function writeTemporary(folder: string, bytes: Uint8Array): Promise<string> {
  const path = temporaryPath(folder);
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await file.close();
    await discard(path);
    throw error;
  }
  await file.close();
  return path;
}

/** Never waits in the way of others, as the storage's may: a network drive can hang. */
async function claim(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    return claimByReservation(temporary, target);
  }
}

/** As the storage's, where what a dead process of another machine left holds a place no longer than an hour. */
export async function claimByReservation(temporary: string, target: string): Promise<boolean> {
  await discardAbandoned(join(dirname(target), reservationOf(basename(target))), Date.now());
  return claimReserved(temporary, target);
}

const isThere = (path: string): Promise<boolean> => lstat(path).then(() => true, whereCode(NOWHERE, false));

async function discard(path: string): Promise<void> {
  // Gone, or in use: what is left goes with what dead processes left.
  await unlink(path).catch(() => {});
}

function noFile(name: string, object: string): Error {
  return objectFailure(name, `has something else than a file at ${object}.`);
}
