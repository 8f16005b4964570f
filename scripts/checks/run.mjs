import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rootDir } from "../host/paths.mjs";

/** @typedef {{ code: number, output: string }} Ended */

/**
 * Runs a script with this Node and captures its output.
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 * @param {{ readonly timeout?: number }} [limits] milliseconds after which it is ended
 * @returns {Promise<Ended>}
 */
export function runNode(args, env = {}, { timeout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: rootDir,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout,
    });
    running.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** Ends all processes that are still running. */
export function stopAll() {
  for (const child of running) child.kill("SIGTERM");
}

/** The program of an installed package, as a path for `runNode`. @param {string} name @param {string} [program] */
export function programOf(name, program = name) {
  const folder = join(rootDir, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[program]);
}
