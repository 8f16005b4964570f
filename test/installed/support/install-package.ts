import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { TestProject } from "vitest/node";
import { NOTICES } from "../../../scripts/notices.mjs";
import { rootDir } from "../../../scripts/host/paths.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The archive that `npm publish` would upload. */
    readonly tarball: string;
    /** A project with the archive installed as a development dependency, and with test runners. */
    readonly project: string;
  }
}

/** Packs the build once and installs the archive in an empty project, as a user does. */
export default function installPackage({ provide }: TestProject): () => void {
  if (!existsSync(join(rootDir, NOTICES)))
    execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: rootDir });
  const home = mkdtempSync(join(tmpdir(), "tapedeck-installed-"));
  npm(rootDir, ["pack", "--silent", "--ignore-scripts", "--pack-destination", home]);
  const [archive = ""] = readdirSync(home);
  const project = mkdtempSync(join(home, "project-"));
  writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true }\n');
  // The package has no dependencies, so that no registry is needed. npm would look up its optional peers.
  npm(project, [
    "install",
    "--save-dev",
    "--offline",
    "--legacy-peer-deps",
    "--no-audit",
    "--no-fund",
    join(home, archive),
  ]);
  // Test runners that a project has anyway.
  for (const runner of ["node_modules/vitest", "test/runners/node_modules/jest"])
    symlinkSync(join(rootDir, runner), join(project, "node_modules", basename(runner)), "junction");
  provide("tarball", join(home, archive));
  provide("project", project);
  return () => rmSync(home, { recursive: true, force: true });
}

function npm(cwd: string, args: readonly string[]): void {
  execFileSync("npm", args, {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
}
