import { localize } from "../../core/base/localize.ts";
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { getErrorCode } from "./failures.ts";

export interface ReadOptions {
  /** Larger files are refused; in bytes. Default `READ_LIMITS.data`. */
  readonly most?: number;
  /** Whether the path may be a link to a file. Default "refused". */
  readonly links?: "refused" | "followed";
}

const MIB = 1_048_576;

/** Maximum sizes of files in bytes, by kind. */
export const READ_LIMITS = {
  /** Recordings, blobs, response caches, files in `.local`, files to import. */
  data: 256 * MIB,
  /** Source files and manifests. */
  source: 32 * MIB,
  /** `tapedeck.jsonc` and the script that it names. Keeps a huge file in a cloned project from filling the memory. */
  config: 4 * MIB,
  /** Locks. */
  mark: 1_024,
} as const;

const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 10;

/** 0 on Windows, which cannot refuse links when it opens a file: there the path is checked before. */
const NO_FOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;

/**
 * Reads a regular file again if it was written to meanwhile, up to three times. Refuses links, pipes, sockets, devices,
 * and huge files, because a path in a cloned folder must not make a program wait.
 * @throws the system's error: ENOENT if there is none, ELOOP for a symbolic link, EISDIR for a folder; an error with the
 *   code NOT_A_FILE for anything else that is no file, or with TOO_LARGE.
 */
export async function readFileWithStats(path: string): Promise<WholeFile> {
  for (let attempt = 1; ; attempt += 1) {
    const found = readOnce(path);
    if (attempt === ATTEMPTS || found.isOfOneState) return found;
    await setTimeout(BETWEEN_ATTEMPTS_MS);
  }
}

/** The bytes of a file, and its stats from before it was read. */
export interface WholeFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** Returns only the bytes. @throws as `readFileWithStats` */
export async function readWholeFile(path: string): Promise<Buffer> {
  return (await readFileWithStats(path)).bytes;
}

/** Reads the bytes of a regular file once. @throws as `readFileWithStats` */
export async function readBytes(path: string, options?: ReadOptions): Promise<Buffer> {
  return readOnce(path, options).bytes;
}

/** Reads the text of a regular file once. @throws as `readFileWithStats` */
export async function readText(path: string, options?: ReadOptions): Promise<string> {
  return (await readBytes(path, options)).toString("utf8");
}

/** Like `readBytes`, but synchronous. */
export function readBytesNow(path: string, options?: ReadOptions): Buffer {
  const { file, stats } = openFile(path, options);
  try {
    return filledNow(file, Buffer.allocUnsafeSlow(stats.size));
  } finally {
    closeSync(file);
  }
}

/** The text of a file, and its stats from before it was read. */
export interface WholeText {
  /** Undefined if the file is not UTF-8. */
  readonly text: string | undefined;
  readonly stats: Stats;
}

/** Reads the text of a regular file. Files are read into the same memory. @throws as `readFileWithStats` */
export function readTextNow(path: string): WholeText {
  const { file, stats } = openFile(path);
  try {
    const bytes = stats.size <= shared.length ? shared.subarray(0, stats.size) : Buffer.alloc(stats.size);
    return { text: decodeFilled(filledNow(file, bytes)), stats };
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the beginning of a file that was just listed as a regular file; undefined if it is not UTF-8. Reads so little
 * that the file is not checked again: a pipe or a device in its place cannot block. @throws the system's error
 */
export function readBeginningNow(path: string, most: number): string | undefined {
  const file = openWithoutLinks(path);
  try {
    return decodeFilled(shared.subarray(0, readSync(file, shared, 0, most, null)));
  } finally {
    closeSync(file);
  }
}

const shared = Buffer.alloc(MIB / 2);

const decodeFilled = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? bytes.toString("utf8") : undefined;

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export const computeSha256 = (data: Uint8Array | string): string =>
  createHash("sha256").update(data).digest("hex");

/** Returns the hash of a file's content; undefined if there is no file. @throws the system's error */
export function hashFile(path: string): string | undefined {
  try {
    return computeSha256(readBytesNow(path));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether every segment of a path inside `dir` is a folder and not a link. */
export function isWithoutLinks(dir: string, inside: string): boolean {
  const segments = inside.split("/");
  return segments.every((_, index) => {
    const path = join(dir, segments.slice(0, index + 1).join("/"));
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  });
}

/** Whether a read failed because there is no regular file of an allowed size at the path. */
export function isNoFile(error: unknown): boolean {
  return NO_FILE.has(getErrorCode(error) ?? "");
}

const NO_FILE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "NOT_A_FILE", "TOO_LARGE"]);

function readOnce(path: string, options?: ReadOptions): WholeFile & { readonly isOfOneState: boolean } {
  const { file, stats } = openFile(path, options);
  try {
    const bytes = filledNow(file, Buffer.allocUnsafeSlow(stats.size));
    return { bytes, stats, isOfOneState: isSameState(stats, fstatSync(file)) };
  } finally {
    closeSync(file);
  }
}

/** Opens a file without blocking, and checks the open file, because the path may have changed since the first check. */
function openFile(
  path: string,
  { most = READ_LIMITS.data, links = "refused" }: ReadOptions = {},
): { readonly file: number; readonly stats: Stats } {
  // Opening a device can have side effects, and a link may lead to one.
  if (links === "followed") expectFile(path, statSync(path), most);
  const file = links === "followed" ? openedFile(path, 0) : openWithoutLinks(path);
  try {
    const stats = fstatSync(file);
    expectFile(path, stats, most);
    return { file, stats };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openWithoutLinks(path: string): number {
  if (NO_FOLLOW === 0) expectFile(path, lstatSync(path), READ_LIMITS.data);
  return openedFile(path, NO_FOLLOW);
}

function openedFile(path: string, flags: number): number {
  try {
    return openSync(path, constants.O_RDONLY | NO_WAIT | flags);
  } catch (error) {
    // Sockets and missing devices fail with this code.
    if ((error as NodeJS.ErrnoException).code === "ENXIO") throw noFile(path);
    throw error;
  }
}

function expectFile(path: string, stats: Stats, most: number): void {
  if (stats.isDirectory()) throw refusal("EISDIR", localize("{0} is a folder", path));
  if (stats.isSymbolicLink()) throw refusal("ELOOP", localize("{0} is a symbolic link", path));
  if (!stats.isFile()) throw noFile(path);
  if (stats.size > most) throw refusal("TOO_LARGE", localize("{0} is larger than {1}", path, sizeText(most)));
}

function noFile(path: string): Error {
  return refusal("NOT_A_FILE", localize("{0} is a pipe, a socket, or a device, not a file", path));
}

function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function sizeText(bytes: number): string {
  return bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}

/** Reads at most as much as there is room for, so that a file that keeps growing ends. */
function filledNow(file: number, bytes: Buffer): Buffer {
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(file, bytes, at, bytes.length - at, null);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

type FileState = Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;

/** Whether a file was neither written to nor replaced between two stats. */
export function isSameState(before: FileState, after: FileState): boolean {
  return (
    before.ino === after.ino &&
    before.size === after.size &&
    before.mtimeMs === after.mtimeMs &&
    before.ctimeMs === after.ctimeMs
  );
}
