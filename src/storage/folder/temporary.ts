import { randomBytes } from "node:crypto";
import { open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

const TEMPORARY = /^\.[0-9]+-[0-9a-f]{16}\.tmp$/;
const RESERVATION = /^\.[0-9a-f]{64}(?:\.[0-9]+)?\.json\.reserved$/;
const DAY_MS = 86_400_000;

/** Whether a file is one of ours on its way to its name: never a recording, never a stray. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name) || RESERVATION.test(name);
}

/** The name under which a recording's place is held where hard links are not to be had. */
export function reservationOf(fileName: string): string {
  return `.${fileName}.reserved`;
}

/** A name in a folder that nothing has. */
export function temporaryPath(folder: string): string {
  return join(folder, `.${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

/** Writes a file under a name of its own and resolves to its path once its bytes are on disk. Leaves none behind. */
export async function writeTemporary(folder: string, content: string | Uint8Array): Promise<string> {
  const path = temporaryPath(folder);
  const file = await open(path, "wx");
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await discard(path);
    throw error;
  }
  return path;
}

/** Puts a file in the place of the one at `path`, whole or not at all. */
export async function replaceWhole(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = await writeTemporary(dirname(path), content);
  try {
    await rename(temporary, path);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
}

/** Deletes a file of ours; that it cannot be is no failure of what was asked for. */
export async function discard(path: string): Promise<void> {
  await unlink(path).catch(() => {});
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
