// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Where in the workspace a call comes from. The text of `stack` is read, and not the call sites, because every loader
 * (vite, jest, tsx, babel, Playwright) maps the text back to the sources.
 */
const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

const DEPTH = 80;
const RUNNER =
  /node:internal[\\/]test_runner|[\\/]node_modules[\\/](?:@vitest|vitest|jest-circus|jest-jasmine2|mocha|playwright)[\\/]/;
const PLACE = /((?:file:\/\/|[A-Za-z]:[\\/]|\/)[^()]*?)(?:\?[^:()]*)?:(\d+):\d+\)?$/;

/** One spelling for a path: vitest says C:/a/b where a stack has backslashes, and Windows knows no case. */
function spelled(file) {
  const normal = path.normalize(file);
  return path.sep === "\\" ? normal.toLowerCase() : normal;
}

/** What was installed, and what loads it. */
const INSTALLED = /[\\/](?:node_modules|\.yarn)[\\/]|[\\/]\.pnp\.[cm]?js$/;

/**
 * `trace` takes one, which costs little; `framesOf` gives the workspace's frames in it, the call's own first:
 * [{ file, line }]; `isMine(file)`: whether a file is the workspace's own.
 */
function createStackReader(rootList) {
  const roots = (rootList || process.cwd())
    .split(path.delimiter)
    .filter(Boolean)
    .flatMap((root) => [path.resolve(root), real(root)])
    .map((root) => spelled(root + path.sep));
  const isMine = (file) =>
    !file.startsWith(__dirname + path.sep) &&
    !INSTALLED.test(file) &&
    roots.some((root) => spelled(file).startsWith(root));

  const framesOf = (error) => {
    const frames = [];
    for (const line of linesOf(error)) {
      // Below a runner's frame stands how the runner came here: a describe call, the module itself.
      if (frames.length > 0 && RUNNER.test(line)) break;
      const frame = frameOf(line);
      if (frame && isMine(frame.file)) frames.push(frame);
    }
    return frames;
  };
  return { trace, framesOf, isMine };
}

function real(root) {
  try {
    return fs.realpathSync(root);
  } catch {
    return path.resolve(root);
  }
}

function trace() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEPTH;
  try {
    return new Error("where");
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function linesOf({ stack }) {
  return typeof stack === "string" ? stack.split("\n") : []; // another prepareStackTrace gives anything
}

function frameOf(line) {
  const match = PLACE.exec(line);
  if (!match) return undefined;
  const file = match[1].startsWith("file:") ? fileURLToPath(match[1]) : match[1];
  return { file, line: Number(match[2]) };
}

module.exports = { createStackReader, real, spelled };
