import { closeSync, constants, fstatSync, lstatSync, openSync, read, readSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf } from "./failures.ts";

export interface ReadOptions {
  /** Larger files are refused; in bytes. Default `READ_LIMITS.data`. */
  readonly most?: number;
  /** Whether the path may be a link to a file. Default "refused". */
  readonly links?: "refused" | "followed";
}

const MIB = 1_048_576;

/** How large a file may be, in bytes, by what it is. */
export const READ_LIMITS = {
  /** Recordings, blobs, response caches, what is noted on this machine, files to import. */
  data: 256 * MIB,
  /** What people write: source files, manifests. */
  source: 32 * MIB,
  /** `tapedeck.jsonc` and the script that it names: a mistake should not take the memory of whoever opens the folder. */
  config: 4 * MIB,
  /** Locks. */
  mark: 1_024,
} as const;

const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 10;
/** Longer ones are read piece by piece, and others have their turn in between. */
const AT_ONCE_BYTES = MIB;

/** Undefined on Windows, where an open file cannot be told from where a link led: there it is looked at before. */
const NO_FOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;

const readPiece = promisify(read);

/**
 * Reads a regular file that nobody wrote to meanwhile. One that is written to all the time is given as it is. Whatever
 * a path of a foreign folder is, it keeps nobody waiting: no link, pipe, socket or device is read, and no huge file.
 * @throws the system's error: ENOENT where there is none, ELOOP for a symbolic link, EISDIR for a folder; with the code
 *   NOT_A_FILE for anything else that is no file, and TOO_LARGE.
 */
export async function readFileWithStats(path: string): Promise<WholeFile> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await readOnce(path);
    if (attempt === ATTEMPTS || found.isOfOneState) return found;
    await setTimeout(BETWEEN_ATTEMPTS_MS);
  }
}

/** A file, and its stats from before it was read. */
export interface WholeFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** The bytes alone. @throws as `readFileWithStats` */
export async function readWholeFile(path: string): Promise<Buffer> {
  return (await readFileWithStats(path)).bytes;
}

/** The bytes of a regular file, as they are. @throws as `readFileWithStats` */
export async function readBytes(path: string, options?: ReadOptions): Promise<Buffer> {
  return (await readOnce(path, options)).bytes;
}

/** The text of a regular file, as it is. @throws as `readWholeFile` */
export async function readText(path: string, options?: ReadOptions): Promise<string> {
  return (await readBytes(path, options)).toString("utf8");
}

/** As `readBytes`, for who cannot wait. */
export function readBytesNow(path: string, options?: ReadOptions): Buffer {
  const { file, stats } = openFile(path, options);
  try {
    return filledNow(file, stats.size);
  } finally {
    closeSync(file);
  }
}

/** Whether every folder on the way from `dir` to `inside` is one and not a link. */
export function isWithoutLinks(dir: string, inside: string): boolean {
  const segments = inside.split("/");
  return segments.every((_, index) => {
    const path = join(dir, segments.slice(0, index + 1).join("/"));
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  });
}

/** Whether a failure says that there is nothing at a path that may be read: no file, none of these, or a huge one. */
export function isNoFile(error: unknown): boolean {
  return NO_FILE.has(codeOf(error) ?? "");
}

const NO_FILE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "NOT_A_FILE", "TOO_LARGE"]);

/** Small files at once: five ways through the thread pool cost many times what the reading does. */
async function readOnce(
  path: string,
  options?: ReadOptions,
): Promise<WholeFile & { readonly isOfOneState: boolean }> {
  const { file, stats } = openFile(path, options);
  try {
    const { size } = stats;
    const bytes = size > AT_ONCE_BYTES ? await fillBuffer(file, size) : filledNow(file, size);
    return { bytes, stats, isOfOneState: isSameState(stats, fstatSync(file)) };
  } finally {
    closeSync(file);
  }
}

/** Opening waits for nobody, and what is open is looked at again: the path may lead elsewhere by now. */
function openFile(
  path: string,
  { most = READ_LIMITS.data, links = "refused" }: ReadOptions = {},
): { readonly file: number; readonly stats: Stats } {
  const isFollowed = links === "followed";
  // Opening some devices does something, and a link leads to any of them.
  if (isFollowed) expectFile(path, statSync(path), most);
  else if (NO_FOLLOW === 0) expectFile(path, lstatSync(path), most);
  const file = openedFile(path, constants.O_RDONLY | NO_WAIT | (isFollowed ? 0 : NO_FOLLOW));
  try {
    const stats = fstatSync(file);
    expectFile(path, stats, most);
    return { file, stats };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openedFile(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    // So a socket answers, and a device that is not there.
    if (codeOf(error) === "ENXIO") throw noFile(path);
    throw error;
  }
}

function expectFile(path: string, stats: Stats, most: number): void {
  if (stats.isDirectory()) throw refusal("EISDIR", `${path} is a folder`);
  if (stats.isSymbolicLink()) throw refusal("ELOOP", `${path} is a symbolic link`);
  if (!stats.isFile()) throw noFile(path);
  if (stats.size > most) throw refusal("TOO_LARGE", `${path} is larger than ${sizeText(most)}`);
}

function noFile(path: string): Error {
  return refusal("NOT_A_FILE", `${path} is a pipe, a socket or a device, and only files are read`);
}

function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function sizeText(bytes: number): string {
  return bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}

/** As much as the file had when it was looked at, or less: what grows without end is not followed. */
function filledNow(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  while (at < size) {
    const count = readSync(file, bytes, at, size - at, null);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

async function fillBuffer(file: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await readPiece(file, bytes, at, Math.min(size - at, 8 * MIB), null);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

type FileState = Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;

/** Whether nothing was written to a file, and no other one put in its place, between two looks at it. */
export function isSameState(before: FileState, after: FileState): boolean {
  return (
    before.ino === after.ino &&
    before.size === after.size &&
    before.mtimeMs === after.mtimeMs &&
    before.ctimeMs === after.ctimeMs
  );
}
