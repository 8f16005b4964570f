import { execFileSync, spawnSync } from "node:child_process";
import { devNull } from "node:os";

/** Whether git can be run here. */
export const HAS_GIT = spawnSync("git", ["--version"]).status === 0;

/** Runs git in a folder: its own settings alone, nothing of the machine's. */
export function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };
  const settings = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.com"];
  return execFileSync("git", [...settings, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** As `git`, for what may fail: whether it did not. */
export function tryGit(cwd: string, ...args: readonly string[]): boolean {
  try {
    git(cwd, ...args);
    return true;
  } catch {
    return false;
  }
}

export function commitAll(cwd: string, message: string): void {
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", message);
}
