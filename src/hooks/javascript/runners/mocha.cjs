// @ts-nocheck -- it looks into the private objects of test runners, which have no types
"use strict";
/*
 * mocha runs tests and hooks by Runnable.prototype.run, which is wrapped once mocha's core has been loaded. The core is
 * CommonJS, also where the rest of mocha is not.
 */
const { wrapMethod } = require("../wrap-method.cjs");

const CORE = /[\\/]mocha[\\/]lib[\\/]mocha\.c?js$/;
const RUNNABLE = /^\.\/runnable(?:\.c?js)?$/;
const WRAPPED = Symbol.for("tapedeck.mocha");

function watch(running) {
  if (!/mocha/.test(process.argv[1] ?? "") && !process.env.MOCHA_WORKER_ID) return;
  wrapMethod(
    require("node:module"),
    "_load",
    (original) =>
      function (request, parent, ...rest) {
        const loaded = original.call(this, request, parent, ...rest);
        if (RUNNABLE.test(request) && CORE.test(parent?.filename ?? "")) {
          running.attempt(() => wrapRunnable(running, loaded));
        }
        return loaded;
      },
  );
}

function wrapRunnable(running, loaded) {
  const { prototype } = typeof loaded === "function" ? loaded : loaded.Runnable;
  if (prototype[WRAPPED]) return;
  Object.defineProperty(prototype, WRAPPED, { value: true });
  wrapMethod(
    prototype,
    "run",
    (original) =>
      function (done) {
        running.starts(() => described(running, this));
        return original.call(this, done);
      },
  );
}

function described(running, runnable) {
  const each = / each" hook/.test(runnable.title ?? "") ? runnable.ctx?.currentTest : undefined;
  const test = runnable.type === "hook" ? each : runnable;
  const owner = test ?? runnable.parent;
  return {
    runner: "mocha",
    phase: runnable.type === "hook" ? "hook" : "test",
    name: running.titlesOf(
      owner,
      (at) => at.parent,
      (at) => at.title,
    ),
    // A hook of the root is shared by all files and knows only the one that came first.
    file: test ? test.file : runnable.parent?.root ? undefined : runnable.parent?.file,
    trial: test && running.trialOf(test, test.parent?.tests, (one) => one.title),
    x: running.executionOf(owner),
    shared: !test,
  };
}

module.exports = { watch };
