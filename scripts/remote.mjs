// npm run remote [-- FILTER…]: the tests of a team's cache with all their cases, on every server that can be had here.
// Installs an S3 server with go and another with pip, once; Redis and Valkey come from the system's packages.
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { programOf } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

// Where test/remote/servers.ts looks first, and no tool that looks at sources.
const home = join(rootDir, "test", "remote", "node_modules", ".servers");
const bin = join(home, "bin");

/** @type {readonly { name: string, install: () => string | undefined }[]} */
const servers = [
  {
    name: "redis-server",
    install: () => "install it with the system's packages, e.g. apt-get install redis-server",
  },
  {
    name: "valkey-server",
    install: () => "install it with the system's packages, e.g. apt-get install valkey-server",
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
  [programOf("vitest"), "run", ...(filters.length > 0 ? filters : ["test/remote"])],
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
  const venv = join(home, "venv");
  const failed =
    run("python3", ["-m", "venv", venv]) ??
    run(join(venv, "bin", "python"), [
      "-m",
      "pip",
      "install",
      "-q",
      "--disable-pip-version-check",
      "moto[server]==5.2.5",
    ]);
  if (failed !== undefined) return failed;
  rmSync(join(bin, "moto_server"), { force: true });
  symlinkSync(join(venv, "bin", "moto_server"), join(bin, "moto_server"));
  return undefined;
}

/**
 * Why it failed, or undefined.
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
