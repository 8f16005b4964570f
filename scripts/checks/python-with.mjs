import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootDir } from "../host/paths.mjs";

/**
 * Creates a virtual environment with packages, once, in the cache of the checks; or returns why there is none.
 * @param {readonly string[]} packages @param {string} python
 * @returns {{ interpreter: string, failure?: undefined } | { interpreter?: undefined, failure: string }}
 */
export function pythonWith(packages, python) {
  const name = packages.join(",").replaceAll(/[^\w.,-]/g, "_") || "none";
  const folder = join(rootDir, "node_modules", ".cache", "python", name);
  const interpreter = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const installed = join(folder, "installed");
  if (existsSync(installed)) return { interpreter };
  rmSync(folder, { recursive: true, force: true });
  const install = [
    interpreter,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    ...packages,
  ];
  for (const [program = "", ...args] of [
    [python, "-m", "venv", folder],
    ...(packages.length > 0 ? [install] : []),
  ]) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
    if (status === 0) continue;
    const failed = `${program} ${args.join(" ")} failed: ${error ?? stderr.trim()}`;
    return { failure: `${failed}\n  Say which Python to use, e.g. --python python3.12` };
  }
  writeFileSync(installed, "");
  return { interpreter };
}
