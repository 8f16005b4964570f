#!/usr/bin/env node
import module from "node:module";
import process from "node:process";
import { version } from "./version.ts";

// This file is small, because Node compiles all of it before anything runs: what a command needs is loaded with it.
const argv = process.argv.slice(2);
if (argv[0] === "--version" || argv[0] === "-v") {
  process.stdout.write(`${version()}\n`);
} else {
  // Node 22.1 and later keep compiled code.
  (module as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
  void import("./main.ts").then(({ runProgram }) => runProgram(argv));
}
