// @ts-nocheck -- it looks into the private objects of test runners, which have no types
"use strict";
/* A worker of Playwright runs one test at a time, and one of its modules knows which. */
const GLOBALS = /[\\/]playwright[\\/]lib[\\/](?:common[\\/])?globals\.js$/;
const WORKER = /[\\/]playwright[\\/]lib[\\/]worker[\\/]/;

function watch(running) {
  // A worker only runs tests, and does not report when one begins.
  if (WORKER.test(process.argv[1] ?? "")) running.began("playwright");
  let globals;
  running.addFallback(() => {
    if (!process.env.TEST_WORKER_INDEX) return undefined;
    globals ??= Object.values(require.cache).find((module) => GLOBALS.test(module?.filename ?? ""))?.exports;
    const info = globals?.currentTestInfo?.();
    if (!info) return undefined;
    const { file, line, titlePath } = info;
    const name = titlePath.slice(1); // the first is the file
    const x = running.executionOf(info);
    const trial = (info.repeatEachIndex ?? 0) + 1;
    return {
      runner: "playwright",
      phase: "test",
      file,
      line,
      name,
      x,
      trial,
    };
  });
}

module.exports = { watch };
