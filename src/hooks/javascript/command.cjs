// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
const path = require("node:path");

/** Returns the command of this process, without its folders. */
function commandOf() {
  const [program, script] = process.argv;
  const file = script === undefined ? "" : path.relative(process.cwd(), script);
  const testing = process.execArgv.includes("--test") ? ["--test"] : [];
  return [path.basename(program), ...testing, file].join(" ").trim();
}

module.exports = { commandOf };
