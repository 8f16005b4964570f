import { localize } from "../../core/base/localize.ts";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createCassetteFolderUnusable, createTapedeckError } from "../../core/base/errors.ts";

/** Maximum bytes of git's output, which may contain all recordings of a folder. */
const MOST = 2_147_483_647;

/**
 * Runs git without a shell and returns its standard output. `cwd`: working directory; `input`: standard input.
 * @throws TapedeckError `tapedeck_usage` if git is not installed or fails, with its error output.
 */
export async function runGit(cwd: string, args: readonly string[], input?: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { cwd, encoding: "buffer", maxBuffer: MOST } as const;
    const child = execFile("git", [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (!existsSync(cwd)) reject(createCassetteFolderUnusable(cwd, localize("it does not exist.")));
      else reject(gitFailed(args, error, stderr.toString("utf8").trim()));
    });
    // If git exits before it reads the input, its own error output explains why.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** Returns git's output split at NUL, such as file names. */
export async function listGitNames(cwd: string, args: readonly string[]): Promise<readonly string[]> {
  return (await runGit(cwd, args))
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}

function gitFailed(args: readonly string[], cause: Error & { code?: unknown }, stderr: string): Error {
  if (cause.code === "ENOENT")
    return createTapedeckError("tapedeck_usage", localize("git cannot be run here."), {
      hint: localize("Install git, and run this in the project's folder."),
      cause,
    });
  const what = stderr === "" ? localize("there is no such revision, or no commit yet") : stderr;
  return createTapedeckError("tapedeck_usage", localize("git {0} failed: {1}", args[0] ?? "", what), {
    hint: localize("Run this in a folder of the repository, and use an existing revision."),
    cause,
  });
}
