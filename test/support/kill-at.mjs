// Loaded before a program: kills it before the change number TAPEDECK_KILL_AT to the cassette folder. Prints each change that is made.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { sep } from "node:path";
import process from "node:process";

const killAt = Number(process.env["TAPEDECK_KILL_AT"]);
let count = 0;

/** @param {Record<string, any>} functions @param {string} name */
function countCalls(functions, name) {
  const original = functions[name];
  functions[name] = (/** @type {unknown[]} */ ...args) => {
    const isOurs = args.some((arg) => typeof arg === "string" && arg.includes(`${sep}.tapedeck${sep}`));
    const isRead =
      name === "openSync" && (args[1] === undefined || typeof args[1] === "number" || args[1] === "r");
    if (isOurs && !isRead) {
      count += 1;
      if (count === killAt) process.kill(process.pid, "SIGKILL");
      fs.writeSync(2, `change ${count}: ${name}\n`);
    }
    return original(...args);
  };
}

const CHANGES = ["renameSync", "linkSync", "unlinkSync", "writeFileSync", "mkdirSync", "openSync"];
for (const name of CHANGES) countCalls(fs, name);
for (const name of ["rename", "link", "unlink", "writeFile", "copyFile"]) countCalls(fs.promises, name);
syncBuiltinESMExports();
