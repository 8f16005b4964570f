import { randomBytes } from "node:crypto";
import { closeSync, fdatasync, openSync, unlinkSync, writeFile, writeFileSync } from "node:fs";
import { rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { betweenSyncs, syncOpen } from "./sync.ts";

const TEMPORARY = /^\.[0-9]+-[0-9a-f]{16}\.tmp$/;
const RESERVATION = /^\.[0-9a-f]{64}(?:\.[0-9]+)?\.json\.reserved$/;
const DAY_MS = 86_400_000;
/** Bytes or characters. What is longer is written in the thread pool: for what is shorter, the way there costs more. */
const AT_ONCE = 262_144;

/** Bytes that are on disk before more are written: whoever waits for the disk meanwhile waits for no more than these. */
const PIECE = 4 * 1_048_576;

const [writeWhole, syncBytes] = [promisify(writeFile), promisify(fdatasync)];

/** Whether a file is one of ours on its way to its name: never a recording, never a stray. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name) || RESERVATION.test(name);
}

/** The name under which a recording's place is held where hard links are not to be had. */
export function reservationOf(fileName: string): string {
  return `.${fileName}.reserved`;
}

/** Tells the names of this thread from those of others under the same number. */
const OWN = randomBytes(5).toString("hex");
let named = 0;

/** A name in a folder that nothing has. */
export function temporaryPath(folder: string): string {
  named = (named + 1) % 0x1_000_000;
  return join(folder, `.${process.pid}-${OWN}${named.toString(16).padStart(6, "0")}.tmp`);
}

/** Writes a file under a name of its own and resolves to its path once its bytes are on disk. Leaves none behind. */
export async function writeTemporary(
  folder: string,
  content: string | Uint8Array,
  access?: number,
): Promise<string> {
  await betweenSyncs();
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
      if (isToLast) await syncOpen(file);
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

/** Deletes what processes that died left behind. Younger ones may belong to one that lives. */
export async function discardOld(paths: readonly string[], now: number): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && now - stats.mtimeMs > DAY_MS) await discard(path);
    }),
  );
}
