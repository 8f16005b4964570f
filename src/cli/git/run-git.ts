import { localize } from "../../core/base/localize.ts";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cassetteFolderUnusable, tapedeckError } from "../../core/base/errors.ts";

/** So much git may say, in bytes: all recordings of a folder. */
const MOST = 2_147_483_647;

/**
 * What git says on its standard output. `cwd`: where it runs; `input`: what it reads. No shell is between.
 * @throws TapedeckError `tapedeck_usage` where git is not there or refuses, with what it said.
 */
export async function runGit(cwd: string, args: readonly string[], input?: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { cwd, encoding: "buffer", maxBuffer: MOST } as const;
    const child = execFile("git", [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (!existsSync(cwd)) reject(cassetteFolderUnusable(cwd, localize("it does not exist.")));
      else reject(gitFailed(args, error, stderr.toString("utf8").trim()));
    });
    // Git that ended early says why itself.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** Names and the like: git's answer cut at NUL. */
export async function gitNames(cwd: string, args: readonly string[]): Promise<readonly string[]> {
  return (await runGit(cwd, args))
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}

function gitFailed(args: readonly string[], cause: Error & { code?: unknown }, said: string): Error {
  if (cause.code === "ENOENT")
    return tapedeckError("tapedeck_usage", localize("git cannot be run here."), {
      hint: localize("Install git, and run this in the project's folder."),
      cause,
    });
  const what = said === "" ? localize("it printed nothing") : said;
  return tapedeckError("tapedeck_usage", localize("git {0} failed: {1}", args[0] ?? "", what), {
    hint: localize("Run this in a folder of the repository, and use an existing revision."),
    cause,
  });
}
