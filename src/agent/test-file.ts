import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { getPathInside } from "../storage/inside.ts";
import { ToolProblem } from "./tool-problem.ts";

/** Folders whose files are never run as tests: packages, and hidden files of programs. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.[^/]+)(?:\/|$)/;

/**
 * Returns a test file as a path relative to the project, with "/" between segments. The file must be in the project,
 * also after links were followed.
 * @throws ToolProblem for any other file
 */
export async function resolveTestFile(file: string, root: string): Promise<string> {
  const path = resolve(root, file);
  const inside = getPathInside(root, path);
  const found = await stat(path).catch(() => undefined);
  if (isTestPath(inside) && found?.isFile() === true && found.size > 0) {
    const target = getPathInside(await realpath(root), await realpath(path));
    if (isTestPath(target)) return inside;
  }
  throw new ToolProblem(
    "This is not a test file of the project.",
    "Use the path of a test file relative to the project folder, as tapedeck_list_misses shows it.",
  );
}

const isTestPath = (path: string | undefined): path is string => path !== undefined && !LEFT_OUT.test(path);
