// Installs the VS Code server, its workbench, and Node 24 into host/, only from the package registry: without a compiler,
// install scripts, or root. Does nothing if a complete install with the same lock file exists.
import { lstatSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { npm } from "./checks/npm.mjs";
import { hostDir, installedHost, serverDirOf, wantedStamp } from "./host/paths.mjs";

if (!installedHost()) install();

function install() {
  console.log("Installing the VS Code host (about 550 MB, once) …");
  const modules = join(hostDir, "node_modules");
  // A link here may be another checkout's folder, which npm would empty.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(modules);
  npm(hostDir, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);

  // Server and built-in extensions look for their libraries beside themselves: let them find the ones installed above.
  const server = serverDirOf(modules);
  for (const place of [server, join(server, "extensions")]) link(modules, join(place, "node_modules"));
  writeFileSync(join(modules, ".installed"), wantedStamp); // last: only a complete install has it
}

/**
 * @param {string} target
 * @param {string} path
 */
function link(target, path) {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(relative(dirname(path), target), path, "junction"); // relative: the checkout may be moved
}
