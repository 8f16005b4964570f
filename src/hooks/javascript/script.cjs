// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* What makes a call that no test makes: the script that this process runs, else what of the workspace led to it. */
const path = require("node:path");
const { real } = require("./stack.cjs");

/** Stands for code without a file: a prompt, `node -e`, standard input. No file is called so. */
const NO_FILE = "<node>";

/** Each process is one execution of its script. */
const execution = `${process.pid}.${Date.now().toString(36)}`;

let main;

/** Undefined where nothing of the workspace takes part. */
function scriptFile(frames, isMine) {
  main ??= mainFile();
  if (main !== undefined && isMine(main)) return main;
  return frames.at(-1)?.file ?? (main === undefined ? path.resolve(NO_FILE) : undefined);
}

/** Loaders put the script that they run in the place of their own; a name without its ending is known by its module. */
function mainFile() {
  const [, file] = process.argv;
  const isFile = file !== undefined && file !== "-";
  return process.mainModule?.filename ?? (isFile ? real(file) : undefined);
}

module.exports = { scriptFile, execution };
