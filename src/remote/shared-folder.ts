import { localize } from "../core/base/localize.ts";
import { constants, type Dirent } from "node:fs";
import { mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isTapedeckError } from "../core/base/errors.ts";
import { getErrorCode, GONE, NOWHERE, recoverFromCodes } from "../storage/folder/failures.ts";
import { createTemporaryPath } from "../storage/folder/durable-write.ts";
import type { FolderAddress } from "./address.ts";
import { createAccessDeniedError, createNotReachedError, createRemoteFailure } from "./failures.ts";
import type { StorageEngine } from "./engine.ts";

/**
 * A folder that several machines share, such as a network drive. Each object is a file, which gets its name once it is
 * whole. The folder itself is never created: a drive that is not mounted is a failure.
 */
export function openSharedFolder({ name, dir }: FolderAddress): StorageEngine {
  return {
    async get(object) {
      const bytes = await readFile(join(dir, object)).catch(recoverFromCodes(NOWHERE, undefined));
      if (bytes === undefined) await expectFolder(name, dir);
      return bytes;
    },
    async put(object, bytes) {
      await expectFolder(name, dir);
      const target = join(dir, object);
      await mkdir(dirname(target), { recursive: true });
      const temporary = await writeTemporary(dirname(target), bytes);
      try {
        await rename(temporary, target);
      } catch (error) {
        await unlink(temporary).catch(() => {});
        throw error;
      }
    },
    async list(prefix) {
      await expectFolder(name, dir);
      return listNames(dir, prefix);
    },
    close: () => {},
    failureOf: (error) => folderFailure(name, error),
  };
}

/** Both are undefined on Windows, which has no pipes or such links in folders. */
const FLAGS =
  constants.O_RDONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0);

/** Never waits in the thread of this process, because a network drive can hang. Links and pipes are refused. */
async function readFile(path: string): Promise<Uint8Array> {
  const file = await open(path, FLAGS);
  try {
    if (!(await file.stat()).isFile())
      throw Object.assign(new Error(`${path} is no file`), { code: "NOT_A_FILE" });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function expectFolder(name: string, dir: string): Promise<void> {
  const stats = await stat(dir).catch(recoverFromCodes(NOWHERE, undefined));
  if (stats?.isDirectory() === true) return;
  const what =
    stats === undefined
      ? localize("cannot be used: it does not exist.")
      : localize("cannot be used: it is not a folder.");
  throw createRemoteFailure("wrong", name, what, {
    hint: localize("Mount the drive, create the folder, or choose another folder."),
  });
}

/** Waits for the disk: another machine may read the object at once. */
async function writeTemporary(folder: string, bytes: Uint8Array): Promise<string> {
  const path = createTemporaryPath(folder);
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}

/** Links are not followed. */
async function listNames(dir: string, prefix: string): Promise<readonly string[]> {
  const names: string[] = [];
  const waiting = [prefix.slice(0, prefix.lastIndexOf("/") + 1)];
  for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
    const entries: readonly Dirent[] = await readdir(join(dir, inside), { withFileTypes: true }).catch(
      recoverFromCodes(GONE, []),
    );
    for (const entry of entries) {
      const path = `${inside}${entry.name}`;
      if (!path.startsWith(prefix) && !prefix.startsWith(`${path}/`)) continue;
      if (entry.isDirectory()) waiting.push(`${path}/`);
      else if (entry.isFile()) names.push(path);
    }
  }
  return names;
}

const DENIED = new Set(["EACCES", "EPERM", "EROFS"]);
/** Codes that are about one object; `NOT_A_FILE` is that of `readFile`. */
const OF_ONE_OBJECT = new Set(["ELOOP", "ENOTDIR", "EISDIR", "EEXIST", "ENXIO", "NOT_A_FILE"]);

function folderFailure(name: string, error: unknown): unknown {
  const code = getErrorCode(error);
  if (isTapedeckError(error) || code === undefined) return error;
  const text = error instanceof Error ? error.message : code;
  if (DENIED.has(code)) return createAccessDeniedError(name, text, error);
  if (OF_ONE_OBJECT.has(code))
    return createRemoteFailure(
      "object",
      name,
      localize("has something that is not a file in place of an object: {0}.", text),
      {
        hint: localize("Remove it, and push the recording again."),
        cause: error,
      },
    );
  return createNotReachedError(name, text, error);
}
