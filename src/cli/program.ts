#!/usr/bin/env node
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Main from "./main.ts";
import { requireOnNode20 } from "./on-node-20.ts";

// This file is small, because Node compiles all of it before anything runs. It is CommonJS, because the loader of ES modules
// takes 5 ms to start. It is in the folder above the other files.
const require = createRequire(import.meta.filename);
const argv = process.argv.slice(2);
if (argv[0] === "--version" || argv[0] === "-v") {
  const { version } = require("../package.json") as { readonly version?: string };
  process.stdout.write(`${version ?? "unknown"}\n`);
} else {
  const { enableCompileCache } = require("node:module") as { readonly enableCompileCache?: () => unknown };
  const main = join(import.meta.dirname, "cli", "main.cjs");
  enableCompileCache?.();
  const { runProgram } = (enableCompileCache === undefined ? requireOnNode20 : require)(main) as typeof Main;
  void runProgram(argv);
}
