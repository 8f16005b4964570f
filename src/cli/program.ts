#!/usr/bin/env node
import module from "node:module";
import type * as Main from "./main.ts";
import { requireOnNode20 } from "./on-node-20.ts";

// This file is small, because Node compiles all of it before anything runs. It is in the folder above the other files. It
// uses the global `process`: importing it makes Node evaluate each of its members, which takes 7 ms.
const require = module.createRequire(import.meta.url);
const argv = process.argv.slice(2);
if (argv[0] === "--version" || argv[0] === "-v") {
  const { version } = require("../package.json") as { readonly version?: string };
  process.stdout.write(`${version ?? "unknown"}\n`);
} else {
  const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown };
  const main = require.resolve("./cli/main.cjs");
  enableCompileCache?.();
  const { runProgram } = (enableCompileCache === undefined ? requireOnNode20 : require)(main) as typeof Main;
  void runProgram(argv);
}
