// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Where in the workspace a call comes from. Loaders (vite, jest, tsx, babel, Playwright) map a whole trace back to the
 * sources when its text is read, which takes milliseconds. So the call sites are read as they are, and only those that
 * are reported are mapped, each of them once.
 */
const fs = require("node:fs");
const path = require("node:path");
const { findSourceMap } = require("node:module");
const { fileURLToPath } = require("node:url");

const DEPTH = 80;
const RUNNER =
  /node:internal[\\/]test_runner|[\\/]node_modules[\\/](?:@vitest|vitest|jest-circus|jest-jasmine2|mocha|playwright)[\\/]/;
const PLACE = /((?:file:\/\/|[A-Za-z]:[\\/]|\/)[^()]*?)(?:\?[^:()]*)?:(\d+):\d+\)?$/;

/** Normalizes a path: vitest writes C:/a/b for a path that has backslashes in a stack, and Windows ignores case. */
function spelled(file) {
  const normal = path.normalize(file);
  return path.sep === "\\" ? normal.toLowerCase() : normal;
}

/** Installed packages, and the files that load them. */
const INSTALLED = /[\\/](?:node_modules|\.yarn)[\\/]|[\\/]\.pnp\.[cm]?js$/;

/**
 * `trace` takes one, which costs little; `framesOf` gives the workspace's frames in it, the call's own first;
 * `isMine(file)`: whether a file is the workspace's own.
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

  const kinds = new Map();
  const kindOf = (name) => {
    if (!kinds.has(name)) {
      const file = fileOf(name);
      kinds.set(name, { file, isOwn: file !== "" && isMine(file), isRunner: RUNNER.test(file) });
    }
    return kinds.get(name);
  };
  const mapped = new Map();
  const frameOf = (site, file) => {
    const place = `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
    if (!mapped.has(place)) mapped.set(place, inSource(site, file));
    return mapped.get(place);
  };
  /** A frame's `file` is the one that runs; `source()` returns file and line of its source. */
  const framesOf = (error) => {
    const frames = [];
    for (const site of sitesOf(error)) {
      const { file, isOwn, isRunner } = kindOf(site.getFileName() ?? "");
      // The frames below a runner's frame only show how the runner was called: a describe call, or the module itself.
      if (frames.length > 0 && isRunner) break;
      if (isOwn) frames.push({ file, source: () => frameOf(site, file) });
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

/** Returns the call sites of a trace whose `stack` has not been read yet. */
function sitesOf(error) {
  const loaders = Reflect.get(Error, "prepareStackTrace");
  Error.prepareStackTrace = (_error, sites) => sites;
  try {
    return Array.isArray(error.stack) ? error.stack : [];
  } finally {
    Error.prepareStackTrace = loaders;
  }
}

function fileOf(fileName) {
  const [name] = fileName.split("?", 1);
  if (name.startsWith("file:")) return fileURLToPath(name);
  return path.isAbsolute(name) ? name : "";
}

/** The error that is passed to a loader with each trace. A new one would take its own trace. */
const MAPPED = new Error("where");

/** File and line of a call site in the source that was compiled, by the loader's own way. */
function inSource(site, file) {
  const plain = { file, line: site.getLineNumber() };
  if (typeof Error.prepareStackTrace !== "function") {
    const found = findSourceMap(file)?.findEntry(plain.line - 1, site.getColumnNumber() - 1);
    return found?.originalLine === undefined
      ? plain
      : { file: sourceOf(found, file), line: found.originalLine + 1 };
  }
  const match = PLACE.exec(String(Error.prepareStackTrace(MAPPED, [site])));
  if (!match) return plain;
  return { file: match[1].startsWith("file:") ? fileURLToPath(match[1]) : match[1], line: Number(match[2]) };
}

function sourceOf({ originalSource }, file) {
  if (originalSource.startsWith("file:")) return fileURLToPath(originalSource);
  return path.resolve(path.dirname(file), originalSource);
}

module.exports = { createStackReader, real, spelled };
