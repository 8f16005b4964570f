import { localize } from "../core/base/localize.ts";
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { createCassetteFolderUnusable } from "../core/base/errors.ts";

/**
 * Whether a path leads out of the repository of `folder` by links. The repository is the nearest folder with a `.git`, or
 * `folder` itself. @throws the system's error if either does not exist.
 */
export function isOutside(path: string, folder: string): boolean {
  const way = relative(repositoryOf(realpathSync(folder)), realpathSync(path));
  return /^\.\.(?:[/\\]|$)/.test(way) || isAbsolute(way);
}

function repositoryOf(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above;
    if (dirname(above) === above) return folder;
  }
}

/**
 * Checks a cassette folder that the user did not name. `wayOut` explains how to name it.
 * @throws TapedeckError `tapedeck_cassette` if it is a link that leads out of the project
 */
export function expectNoLinkOut(dir: string, project: string, wayOut: string): void {
  const isLink = lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || (existsSync(dir) && !isOutside(dir, project))) return;
  const where = existsSync(dir) ? realpathSync(dir) : readlinkSync(dir);
  throw createCassetteFolderUnusable(
    dir,
    localize("it is a link out of the project, to {0}. {1}", where, wayOut),
  );
}
