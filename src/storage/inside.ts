import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";

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
