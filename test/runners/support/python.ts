import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const environment = resolve(import.meta.dirname, "..", "node_modules", ".venv");

/** The interpreter of the environment in which runners and SDKs are installed. */
export const python =
  process.platform === "win32"
    ? join(environment, "Scripts", "python.exe")
    : join(environment, "bin", "python");

/** Why the tests in Python cannot run here; undefined where they can. */
export const missing = reasonFrom(join(environment, "installed"));

/** The reason for a title, or "" if there is none. */
export const because = missing === undefined ? "" : ` (${missing})`;

function reasonFrom(stamp: string): string | undefined {
  if (!existsSync(stamp)) return "the Python packages are not installed: node scripts/install-runners.mjs";
  return readFileSync(stamp, "utf8").split("\n")[1] || undefined;
}

/** The versions of installed packages, for figures. */
export function versionsOf(names: readonly string[]): string {
  const code =
    "import sys, importlib.metadata as m; print(', '.join(n + ' ' + m.version(n) for n in sys.argv[1:]))";
  return spawnSync(python, ["-c", code, ...names], { encoding: "utf8" }).stdout.trim();
}

/** One for what needs no packages: the environment's, or the machine's own; undefined where there is none. */
export const anyPython = [python, "python3"].find(
  (program) => spawnSync(program, ["-c", "import unittest"]).status === 0,
);
