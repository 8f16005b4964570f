import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import type { TapedeckError } from "../core/base/errors.ts";
import { READ_LIMITS, readText } from "../storage/folder/read-file.ts";
import { type DetectOptions, detectRunner } from "./detect-runner.ts";
import type { ProjectFiles, TestRunner } from "./test-runner.ts";

/** Detects the runner of a test file on disk with the programs of this machine. Returns an error if there is none. */
export async function findRunner({
  file,
  workspaceFolder,
  python,
}: Pick<DetectOptions, "file" | "workspaceFolder" | "python">): Promise<TestRunner | TapedeckError> {
  const ask = (program: string, args: readonly string[]): Promise<string | undefined> =>
    askProgram(program, args, workspaceFolder);
  const { VIRTUAL_ENV: virtualEnv } = process.env;
  return detectRunner({
    ...projectFiles,
    file,
    workspaceFolder,
    ask,
    hasPytest: async (program) => (await ask(program, ["-c", "import pytest"])) !== undefined,
    nodeVersion: await ask("node", ["--version"]),
    python,
    virtualEnv,
  });
}

/** The files of the project on disk, which runners read. */
export const projectFiles: ProjectFiles = {
  readFile: (path) => readText(path, { most: READ_LIMITS.source, links: "followed" }).catch(() => undefined),
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
};

/** Timeout for a program that prints its version. */
const ANSWER_MS = 20_000;

/** Returns the output of a program, for example its version; undefined if it cannot be started or fails. */
function askProgram(program: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, timeout: ANSWER_MS, windowsHide: true }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim());
    });
  });
}
