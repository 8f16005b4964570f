import { spawnSync } from "node:child_process";

/**
 * Runs npm in a folder and ends this process if it fails.
 * @param {string} cwd
 * @param {readonly string[]} args
 */
export function npm(cwd, args) {
  // Under `npm run`, npm_execpath names npm's own entry: no shell and no search of PATH, on any platform.
  const entry = process.env["npm_execpath"];
  const { status, error } = entry
    ? spawnSync(process.execPath, [entry, ...args], { cwd, stdio: "inherit" })
    : spawnSync("npm", args, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
