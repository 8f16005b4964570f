// @ts-nocheck -- it looks into the private objects of test runners, which have no types
"use strict";
/*
 * jest 30 runs each test and hook inside its own AsyncLocalStorage with { test, hook, describeBlock }. jest 29 has only
 * the state of its file's vm context. The tests run in that context; this file and the methods that it wraps are outside.
 */
const { AsyncLocalStorage } = require("node:async_hooks");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { wrapMethod } = require("../wrap-method.cjs");

const ROOT = "ROOT_DESCRIBE_BLOCK";

function watch(running) {
  const contextNow = newestVmContext(
    () => process.env.JEST_WORKER_ID && !hasTestContexts() && running.began("jest"),
  );
  const describe = (store) => () => described(running, store, expectState(contextNow())?.testPath);
  wrapMethod(
    AsyncLocalStorage.prototype,
    "run",
    (original) =>
      function (store, fn, ...args) {
        if (isCircusStore(store)) {
          running.useContexts(() => {
            const own = this.getStore();
            return own && describe(own);
          });
          running.starts(describe(store));
        }
        return original.call(this, store, fn, ...args);
      },
  );
  running.addFallback(() => fromFileState(running, contextNow()));
}

/** Whether this jest reports when a test begins. For older versions, the first file's context is the only sign. */
function hasTestContexts() {
  try {
    const { name, version } = packageOf(fs.realpathSync(process.argv[1]));
    return name.startsWith("jest") && Number.parseInt(version, 10) >= 30;
  } catch {
    return false;
  }
}

function packageOf(file) {
  const folder = path.dirname(file);
  const manifest = path.join(folder, "package.json");
  return fs.existsSync(manifest) ? JSON.parse(fs.readFileSync(manifest, "utf8")) : packageOf(folder);
}

/** jest runs one file at a time in a process, each in a vm context. */
function newestVmContext(onNew) {
  let newest;
  wrapMethod(
    vm,
    "createContext",
    (original) =>
      function (...args) {
        const context = original.apply(this, args);
        newest = new WeakRef(context);
        onNew();
        return context;
      },
  );
  return () => newest?.deref();
}

function isCircusStore(store) {
  if (!store || typeof store !== "object") return false;
  const is = (node, type) => node?.type === type && typeof node.name === "string" && "parent" in node;
  return is(store.test, "test") || is(store.describeBlock, "describeBlock");
}

function titles(running, node) {
  return running.titlesOf(
    node,
    (at) => at.parent,
    (at) => (at.name === ROOT ? "" : at.name),
  );
}

function described(running, { test, describeBlock, hook }, file) {
  const owner = test ?? describeBlock;
  return {
    runner: "jest",
    phase: hook ? "hook" : "test",
    name: titles(running, owner),
    file,
    trial: test && running.trialOf(test, test.parent?.children, (one) => one.name),
    x: running.executionOf(owner, test?.invocations),
    shared: !test,
  };
}

/** What `expect` knows: the file, and the titles joined by blanks. */
function expectState(context) {
  return context?.[Symbol.for("$$jest-matchers-object")]?.state;
}

/** Returns the state of jest-circus, which it keeps under a unique symbol of the context's inner global object. */
function circusState(context) {
  const inner = vm.runInContext("globalThis", context);
  const symbol = Object.getOwnPropertySymbols(inner).find((one) => one.description === "JEST_STATE_SYMBOL");
  return symbol && inner[symbol];
}

function fromFileState(running, context) {
  const state = expectState(context);
  if (!state?.testPath) return undefined;
  const concurrent = state.currentConcurrentTestName?.();
  const own = { runner: "jest", file: state.testPath };
  if (concurrent)
    return { ...own, phase: "test", joined: concurrent, x: running.executionOf(context, concurrent) };
  const circus = running.attempt(() => circusState(context));
  const test = circus?.currentlyRunningTest;
  if (test) return described(running, { test }, state.testPath);
  if (circus?.currentDescribeBlock) {
    return described(running, { describeBlock: circus.currentDescribeBlock, hook: true }, state.testPath);
  }
  const joined = state.currentTestName;
  return { ...own, phase: joined ? "test" : "module", joined, x: running.executionOf(context, joined) };
}

module.exports = { watch };
