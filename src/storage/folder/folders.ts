import { lstatSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { cassetteFolderUnusable } from "../../core/base/errors.ts";
import { TAKEN, whereCode } from "./failures.ts";
import { syncFolder } from "./temporary.ts";

/** Makes folders inside a cassette folder, for one process. */
export interface FolderMaker {
  /**
   * Resolves to the absolute path of `inside`, a path with "/", once it and all above it are durable.
   * @throws TapedeckError where a link or a file is in the way: nothing is written through a link.
   */
  ensure(inside: string): Promise<string>;
}

export function createFolderMaker(dir: string): FolderMaker {
  /** Folders whose names this process knows to be durable, by path, inode and birth: inodes are given anew. */
  const durable = new Set<string>();
  /** Shared: whoever finds the folder there, but not yet durable, waits for it too. */
  let rooted: Promise<void> | undefined;

  const step = async (path: string, shown: string): Promise<void> => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isMade = found === undefined && (await makeFolder(path));
    const stats = found ?? lstatSync(path);
    if (stats.isSymbolicLink())
      throw cassetteFolderUnusable(
        dir,
        `${shown} in it is a symbolic link, and nothing is written through one.`,
      );
    if (!stats.isDirectory()) throw cassetteFolderUnusable(dir, `${shown} in it is a file.`);
    // Another process may have made it a moment ago and died before it was durable.
    const seen = `${stats.ino}:${stats.birthtimeMs}:${path}`;
    if (!isMade && durable.has(seen)) return;
    await syncFolder(dirname(path));
    durable.add(seen);
  };

  return {
    async ensure(inside) {
      rooted ??= makeRoot(dir).finally(() => (rooted = undefined));
      await rooted;
      const segments = inside.split("/");
      for (const index of segments.keys()) {
        const shown = segments.slice(0, index + 1).join("/");
        await step(join(dir, shown), shown);
      }
      return join(dir, inside);
    },
  };
}

/** Makes a folder; false where something has its name by now. */
function makeFolder(path: string): Promise<boolean> {
  return mkdir(path).then(() => true, whereCode(TAKEN, false));
}

/**
 * The cassette folder itself may be a link, since the user named it. Made step by step: below /proc and the like, where
 * nothing can be made, the system's own `recursive` never ends.
 */
async function makeRoot(dir: string): Promise<void> {
  const missing: string[] = [];
  for (let path = resolve(dir); !isFolder(path) && path !== dirname(path); path = dirname(path))
    missing.unshift(path);
  for (const path of missing) {
    if (!(await makeFolder(path)) && !isFolder(path))
      throw cassetteFolderUnusable(dir, `${path} is no folder.`);
    await syncFolder(dirname(path));
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
