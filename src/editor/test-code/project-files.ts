import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import type { ProjectFiles } from "../test-discovery/test-runner-model.ts";

/** The workspace's files as they are on disk: what a runner will see. */
export const projectFiles: ProjectFiles = {
  readFile: (path) => readText(path, { most: READ_LIMITS.source, links: "followed" }).catch(() => undefined),
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
};

/** What a program prints when asked, e.g. its version; undefined where it cannot be started or fails. */
export function ask(program: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, timeout: ANSWER_MS, windowsHide: true }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim());
    });
  });
}

/** Longer than any interpreter takes to say its version. */
const ANSWER_MS = 20_000;
