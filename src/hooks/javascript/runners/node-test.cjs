// @ts-nocheck -- it looks into the private objects of test runners, which have no types
"use strict";
/*
 * node:test runs each test, suite, and hook as a separate AsyncResource. The context is entered inside the resource's
 * scope, because entering the scope itself switches contexts.
 */
const { AsyncResource } = require("node:async_hooks");
const { fileURLToPath } = require("node:url");
const { wrapMethod } = require("../wrap-method.cjs");

const PHASES = { Test: "test", Suite: "suite", TestHook: "hook" };
/** Processes of other runners, where each step of a request would pass the wrapper. */
const OTHER_RUNNER = /[\\/]node_modules[\\/](?:tinypool|vitest|jest-worker|jest|mocha|playwright)[\\/]/;

const INSTALLED = /[\\/]node_modules[\\/]/;

function watch(running) {
  if (OTHER_RUNNER.test(process.argv[1] ?? "")) return;
  wrapMethod(
    AsyncResource.prototype,
    "runInAsyncScope",
    (original) =>
      function (fn, self, ...args) {
        const phase = PHASES[this.constructor?.name];
        // The body of a skipped test is replaced, also if Node 20 skips it for its title.
        if (!phase || this.skipped) return original.call(this, fn, self, ...args);
        running.attempt(() => keepTests(this));
        const describe = () => described(running, this, phase, self);
        const inside = function (...own) {
          return running.within(describe, () => fn.apply(this, own));
        };
        return original.call(this, inside, self, ...args);
      },
  );
  // A file that calls while it is loaded, before any test. A program that a test started has its variables.
  running.addFallback(() => {
    const { env, argv } = process;
    if (!env.NODE_TEST_CONTEXT || env.TAPEDECK_STARTED_BY) return undefined;
    return { runner: "node", phase: "module", file: argv[1] };
  });
}

/** `context` is what the function gets: an each-hook gets its test's, a before or after its suite's. */
function described(running, resource, phase, context) {
  const titles = (node) =>
    running.titlesOf(
      node,
      (at) => at.parent,
      (at) => (at.parent ? at.name : ""), // the root is the file
    );
  const owner = context && typeof context === "object" ? context : resource;
  const own = { runner: "node", file: fileOf(resource), x: running.executionOf(owner) };
  if (phase !== "hook") {
    const trial = running.trialOf(resource, resource.parent?.subtests, (one) => one.name);
    return { ...own, phase: resource.parent ? phase : "module", name: titles(resource), trial };
  }
  const name = titles((context && testOf.get(context)) ?? resource.parentTest);
  return { ...own, phase, name, shared: !resource.hookType?.endsWith("Each") };
}

/** Tests by the context object that their each-hooks receive, which has at most the joined titles. */
const testOf = new WeakMap();
let isKeeping = false;

/** Suites and hooks are tests, too: what makes the contexts is a method of the class of all of them. */
function keepTests(resource) {
  if (isKeeping) return;
  isKeeping = true; // whatever comes of it
  let owner = Object.getPrototypeOf(resource);
  while (owner.constructor.name !== "Test") owner = Object.getPrototypeOf(owner);
  wrapMethod(
    owner,
    "getRunArgs",
    (original) =>
      function () {
        const given = original.apply(this, arguments);
        testOf.set(given.ctx, this);
        return given;
      },
  );
}

/**
 * Returns a test's file. It is unknown up to Node 20.6, and if a package made the test for its caller. Node 18.19 to 21
 * have a URL for ES modules.
 */
function fileOf({ loc }) {
  const file = loc?.file?.startsWith("file:") ? fileURLToPath(loc.file) : loc?.file;
  return INSTALLED.test(file) ? undefined : file;
}

module.exports = { watch };
