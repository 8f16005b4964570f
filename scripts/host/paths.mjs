import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const rootDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const distDir = join(rootDir, "dist");
/** The folder that VS Code loads as the extension: see extension-folder.mjs. */
export const extensionDir = join(distDir, "vscode");
export const hostDir = join(rootDir, "host");
export const resultsDir = join(rootDir, "test-results");
export const demoWorkspace = join(rootDir, "demo", "workspace");
/** The extension that guides through the demo. */
export const demoGuide = join(rootDir, "demo", "guide");

/** Stamp of an installed host: the hash of its lock file and platform. */
export const wantedStamp = createHash("sha256")
  .update(readFileSync(join(hostDir, "package-lock.json")))
  .update(`${process.platform}-${process.arch}`)
  .digest("hex");

/**
 * The packages of a complete install of the wanted host: this checkout's, or those of another checkout's host folder
 * that TAPEDECK_HOST_CACHE names.
 * @returns {string | undefined}
 */
export function installedHost() {
  const cache = process.env["TAPEDECK_HOST_CACHE"];
  return [hostDir, ...(cache ? [resolve(cache)] : [])]
    .map((folder) => join(folder, "node_modules"))
    .find((folder) => readStamp(folder) === wantedStamp);
}

/** @param {string} modules */
function readStamp(modules) {
  const file = join(modules, ".installed");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Path of the VS Code server within the packages of a host. @param {string} modules */
export function serverDirOf(modules) {
  return join(modules, "code-server", "lib", "vscode");
}

/** Returns the Node that the host is built for: from its packages, or this one if it is new enough. */
export function hostNode() {
  const modules = installedHost();
  const [platform, file] = process.platform === "win32" ? ["win", "node.exe"] : [process.platform, "node"];
  const packed = modules && join(modules, `node-${platform}-${process.arch}`, "bin", file);
  if (packed && existsSync(packed)) return packed;
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  throw new Error(
    `The VS Code host needs Node 24, and there is no package of it for ${platform}-${process.arch}. ` +
      "Run this command with Node 24 or newer.",
  );
}
