// Installs into test/runners what the tests of the runners need: test runners of two generations, several Nodes (on Linux
// x64), and, if pip finds them, Python packages in a virtual environment. Does nothing if all are installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npm } from "./checks/npm.mjs";
import { rootDir } from "./host/paths.mjs";

const home = join(rootDir, "test", "runners");
// Beside the packages, because tools that read sources ignore that folder.
const environment = join(home, "node_modules", ".venv");

once([join(home, "package-lock.json")], join(home, "node_modules", ".installed"), () => {
  console.log("Installing the test runners (about 660 MB, once) …");
  process.env["PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD"] = "1";
  // No link to a Node, so that none is found instead of the user's.
  npm(home, ["ci", "--ignore-scripts", "--no-bin-links", "--no-audit", "--no-fund", "--loglevel=error"]);
  return "";
});
once([join(home, "requirements.txt")], join(environment, "installed"), () => {
  rmSync(environment, { recursive: true, force: true });
  return installPython();
});

/**
 * Installs unless the stamp shows that it was done for these files. The stamp holds the note that `install` returns.
 * @param {readonly string[]} files
 * @param {string} stamp
 * @param {() => string} install
 */
function once(files, stamp, install) {
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}`);
  for (const file of files) hash.update(readFileSync(file));
  const wanted = hash.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8").startsWith(`${wanted}\n`)) return;
  const note = install();
  mkdirSync(dirname(stamp), { recursive: true });
  // The next run retries a failed installation.
  writeFileSync(stamp, `${note === "" ? wanted : ""}\n${note}`);
}

/** Returns what is missing, which the tests then name. A machine without Python or these packages is not a failure. */
function installPython() {
  const windows = process.platform === "win32";
  const made = python(windows ? "python" : "python3", ["-m", "venv", environment]);
  if (made !== undefined) return `no virtual environment for Python: ${made}`;
  const own = windows ? join(environment, "Scripts", "python.exe") : join(environment, "bin", "python");
  const list = join(home, "requirements.txt");
  // One attempt: without a network, retries only cost time.
  const options = ["-q", "--disable-pip-version-check", "--retries", "0", "--timeout", "20"];
  const failed = python(own, ["-m", "pip", "install", ...options, "-r", list]);
  return failed === undefined ? "" : `pip could not install the Python packages: ${failed}`;
}

/** @param {string} program @param {readonly string[]} args */
function python(program, args) {
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split("\n").at(-1) ?? `it ended with ${status}`;
}
