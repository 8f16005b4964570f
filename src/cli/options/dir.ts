import { formatNames, localize } from "../../core/base/localize.ts";
import type { Arguments } from "../command.ts";
import { dirname, join, relative, resolve } from "node:path";
import { getErrorCode } from "../../storage/folder/failures.ts";
import {
  createCassetteFolderUnusable,
  createWrongUsage,
  type TapedeckError,
} from "../../core/base/errors.ts";
import { readFoldersBelow } from "../../storage/folders-below.ts";
import { expectNoLinkOut, findProject, isProjectOf } from "../../storage/inside.ts";
import type { Terminal } from "../terminal.ts";
import { statSync } from "node:fs";
import { mkdtemp, rmdir } from "node:fs/promises";

export const DEFAULT_DIR = ".tapedeck";

export interface NamedDir {
  /** Absolute. */
  readonly dir: string;
  /** As the user wrote it, for messages. */
  readonly shownDir: string;
  /** The folder to which the paths of tests are relative. */
  readonly project: string;
  /** Whether it is the folder of a project above, and not named by an option. */
  readonly isAbove?: boolean;
}

/**
 * Returns the folder of `--dir`, otherwise that of the nearest project, so that a package of a repository uses the
 * recordings of the repository.
 * @throws TapedeckError `tapedeck_cassette` if the default folder is a link that leads out of the project: a cloned
 * repository must not choose where to write
 */
export function readDir(args: Arguments, { cwd }: Pick<Terminal, "cwd">): NamedDir {
  const named = args.value("dir");
  if (named === undefined) {
    const project = findProject(cwd);
    const dir = join(project, DEFAULT_DIR);
    const shownDir = relative(cwd, dir);
    expectNoLinkOut(dir, project, localize("To use it, add --dir {0}.", shownDir));
    return { dir, shownDir, project, isAbove: project !== cwd };
  }
  const dir = resolve(cwd, named);
  const above = dirname(dir);
  return { dir, shownDir: named, project: isProjectOf(above, cwd) ? above : cwd };
}

/** Names the cassette folders of packages below a folder that has none itself. Empty if there are none. */
export function formatFoldersBelow(cwd: string): string {
  const found = [...readFoldersBelow(cwd)].flatMap(({ folder, entries }) =>
    entries.some((entry) => entry.name === DEFAULT_DIR && entry.isDirectory())
      ? relative(cwd, join(folder, DEFAULT_DIR))
      : [],
  );
  if (found.length === 0) return "";
  return localize(
    "Packages have recordings of their own in {0}. To use them, run the command in the package, or name the folder with --dir.",
    formatNames(found, 3),
  );
}

/**
 * Returns whether the cassette folder exists. With `writes`, also checks that it can be written or created, because a
 * run that cannot save its responses should not start to pay for them.
 * @throws TapedeckError `tapedeck_cassette` if the folder cannot be used.
 */
export async function inspectFolder(
  dir: string,
  options: { readonly writes: boolean },
): Promise<"present" | "absent"> {
  const there = kindOf(dir);
  if (there === "other")
    throw dir.endsWith(".json")
      ? responseCacheHere(dir)
      : createCassetteFolderUnusable(dir, localize("it is not a folder."));
  if (options.writes) await tryWriting(dir);
  return there === "folder" ? "present" : "absent";
}

/** MetaGPT's keys omit roles, models, and tools, so an entry would also answer requests other than its own. */
function responseCacheHere(file: string): TapedeckError {
  return createWrongUsage(
    localize(
      "{0} is a file, but HTTP calls need a cassette folder, not MetaGPT's rsp_cache.json. Its keys have neither roles nor models, so an entry could answer a different request.",
      file,
    ),
    localize(
      "Choose a folder with --dir. MetaGPT's own tests and MockLLM of llm-tapedeck/client/metagpt read the file; list, show, and check accept it with --dir.",
    ),
  );
}

function kindOf(path: string): "folder" | "other" | "absent" {
  try {
    return statSync(path).isDirectory() ? "folder" : "other";
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return "absent";
    // A parent of the path is not a folder.
    if (getErrorCode(error) === "ENOTDIR") return "other";
    throw createCassetteFolderUnusable(path, reasonOf(error), error);
  }
}

/** Creates and removes a folder, because permissions alone do not show root rights, read-only disks, or quotas. */
async function tryWriting(dir: string): Promise<void> {
  const calls = join(dir, "calls");
  let place = calls;
  while (kindOf(place) === "absent") place = dirname(place);
  try {
    await rmdir(await mkdtemp(join(place, ".tapedeck-probe-")));
  } catch (error) {
    throw createCassetteFolderUnusable(
      dir,
      localize("{0} cannot be written ({1}).", place, reasonOf(error)),
      error,
    );
  }
}

const reasonOf = (error: unknown): string => getErrorCode(error) ?? String(error);
