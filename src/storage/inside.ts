import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { cassetteFolderUnusable } from "../core/base/errors.ts";

/**
 * Whether a path leads out of the repository of `folder` by links: then it is somebody else's. The nearest folder with
 * a `.git` counts, and without one the folder itself. @throws the system's error where either is not there.
 */
export function leadsOut(path: string, folder: string): boolean {
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
 * For a cassette folder that no person named; `wayOut` says how they would.
 * @throws TapedeckError `tapedeck_cassette` where it is a link that leads out of the project
 */
export function expectNoLinkOut(dir: string, project: string, wayOut: string): void {
  const isLink = lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || (existsSync(dir) && !leadsOut(dir, project))) return;
  const where = existsSync(dir) ? realpathSync(dir) : readlinkSync(dir);
  throw cassetteFolderUnusable(dir, `it is a link that leads out of the project, to ${where}. ${wayOut}`);
}
