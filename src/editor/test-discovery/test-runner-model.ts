import { dirname, isAbsolute, join, relative, sep } from "node:path";

export type RunnerName = "vitest" | "jest" | "mocha" | "node" | "playwright" | "pytest" | "unittest";

/** How the tests of one file are started: the program, what stands first in its arguments, and where it runs. */
export interface TestRunner {
  readonly runner: RunnerName;
  readonly cwd: string;
  /** `node`, or the Python interpreter. */
  readonly command: string;
  /** Arguments of `command` itself, before the runner's entry: loaders, experimental flags. */
  readonly commandFlags: readonly string[];
  /** Absolute path of the runner's own entry file, started without a wrapper; node and Python have none. */
  readonly entry?: string;
  /** The runner's version; of node:test, Node's. */
  readonly version?: string;
  /** Arguments that the project's own script gives this runner: its config, what it loads first. */
  readonly runnerFlags: readonly string[];
  /** unittest: the folder that the file's outermost package lies in; the file's own where it is in none. */
  readonly importFrom?: string;
}

/** The files of a workspace, as far as telling a runner needs them. Paths are absolute. */
export interface ProjectFiles {
  /** Undefined where there is no such file. */
  readFile(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}

/** The folders from a file's own up to `top`, innermost first; up to the file system's root without one. */
export function foldersAbove(file: string, top?: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder) || (top !== undefined && !isBelow(folder, top))) break;
  }
  return folders;
}

function isBelow(folder: string, top: string): boolean {
  const [first] = relative(top, folder).split(sep);
  return first !== "" && first !== ".." && !isAbsolute(first ?? "");
}

/** The first of `names` that exists in `folder`. */
export async function firstIn(
  files: ProjectFiles,
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  const present = await Promise.all(names.map((name) => files.exists(join(folder, name))));
  return names.find((_, index) => present[index]);
}
