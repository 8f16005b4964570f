import { localize } from "../core/base/localize.ts";
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { createCassetteFolderUnusable } from "../core/base/errors.ts";

/**
 * Whether a path leads out of the repository of `folder` by links. The repository is the nearest folder with a `.git`, or
 * `folder` itself. @throws the system's error if either does not exist.
 */
export function isOutside(path: string, folder: string): boolean {
  const real = realpathSync(folder);
  return getPathInside(findRepository(real) ?? real, realpathSync(path)) === undefined;
}

/** Returns the way from a folder to a path in it, with "/" between segments; undefined for any other path. */
export function getPathInside(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way.split(sep)[0] === ".." || isAbsolute(way) ? undefined : way.split(sep).join("/");
}

/** Returns the folders from `start` up to `top`, innermost first; without `top`, up to the root of the file system. */
export function listFoldersUp(start: string, top?: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder) || (top !== undefined && !getPathInside(top, folder))) break;
  }
  return folders;
}

/** Returns the root of the git repository that a folder is in. */
export function findRepository(folder: string): string | undefined {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above;
    if (dirname(above) === above) return undefined;
  }
}

/** Files and folders that only a project has. */
const MARKS = [".tapedeck", "tapedeck.jsonc"];

/**
 * Returns the nearest project from `folder` up to the root of its repository, or `folder` itself if there is none. A
 * folder above the repository may be that of another person.
 */
export function findProject(folder: string): string {
  const repository = findRepository(folder) ?? folder;
  for (let above = folder; ; above = dirname(above)) {
    const found = MARKS.some((mark) => lstatSync(join(above, mark), { throwIfNoEntry: false }) !== undefined);
    if (found) return above;
    if (above === repository) return folder;
  }
}

/** Whether `project` is `folder`, or above it in the same repository. */
export function isProjectOf(project: string, folder: string): boolean {
  return getPathInside(project, folder) !== undefined && !isOutside(project, folder);
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
