// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Finds the running test. If a runner runs one test at a time, its probe gives the current one. Tests that run
 * concurrently are distinguished by their async context: Node then calls a hook for each promise, which is slow, so
 * other tests do without it. A description is a function, called only when a request is
 * made: { runner, phase: "test" | "hook" | "suite" | "module", name?, joined?, file?, line?, x?, trial?, shared? }.
 * `shared` marks a hook that runs for many tests: what it starts outlives it.
 */
const { AsyncLocalStorage } = require("node:async_hooks");
const { attempt } = require("../wrap-method.cjs");

/** Titles from the outermost to the node's own. A cycle or an absurd depth ends the walk. */
function titlesOf(node, parentOf, titleOf) {
  const titles = [];
  for (let at = node; at && titles.length < 50; at = parentOf(at)) {
    const title = titleOf(at);
    if (title) titles.unshift(String(title));
  }
  return titles;
}

/**
 * Which trial of a test runs, from 1: rows of a table may have one title, and a test may be repeated. Their order is that
 * of the file, so it is the same in every run.
 */
function trialOf(node, siblings, titleOf, repeated = { count: 0, of: 0 }) {
  const namesakes = (siblings ?? []).filter((one) => titleOf(one) === titleOf(node));
  return Math.max(namesakes.indexOf(node), 0) * (repeated.of + 1) + repeated.count + 1;
}

/** `began` is called with the runner's name when its first test or hook starts here, and possibly again. */
function createRunningTest(began = () => {}) {
  const contexts = new AsyncLocalStorage();
  let readContext = () => contexts.getStore();
  const fallbacks = [];
  let newest; // for code in no test's context: a server under test
  let isBegun = false;
  let isEntered = false;

  const starts = (describe) => {
    newest = describe;
    if (isBegun) return;
    const { phase, runner } = attempt(describe) ?? {};
    isBegun = phase === "test" || phase === "hook"; // a suite's body may hold no test that is asked for
    if (isBegun) began(runner);
  };

  return {
    titlesOf,
    attempt,
    executionOf: createExecutions(),
    trialOf,
    began,
    /** Notes that a test or hook begins. */
    starts,
    /** Runs `body` as part of a test that others may run beside. */
    within(describe, body) {
      starts(describe);
      return contexts.run(describe, body);
    },
    /** Assigns this context to a test that may run concurrently with others, until the runner reports another test. */
    enter(describe) {
      if (describe === undefined && !isEntered) return;
      isEntered = true;
      contexts.enterWith(describe);
    },
    /** For a runner with its own contexts: `read` returns the description of the current one. */
    useContexts(read) {
      readContext = read;
    },
    /** For runners that identify the test by something other than a context. */
    addFallback(read) {
      fallbacks.push(read);
    },
    current() {
      return (
        attempt(() => ofContext(readContext(), newest)) ??
        fallbacks.reduce((found, read) => found ?? attempt(read), undefined) ??
        attempt(() => newest?.())
      );
    },
  };
}

/** Prefers a newer test of the same suite, because code that a `before` hook started keeps the hook's context forever. */
function ofContext(describe, newest) {
  const own = describe?.();
  if (!own?.shared || !newest || newest === describe) return own;
  const now = newest();
  const inside = (own.name ?? []).every((title, index) => title === now?.name?.[index]);
  const sameFile = !own.file || !now?.file || own.file === now.file;
  return now?.phase === "test" && inside && sameFile ? now : own;
}

/** Returns a function that names one execution of a test by its object. `again` distinguishes retries of the same object. */
function createExecutions() {
  const started = Date.now().toString(36);
  const known = new WeakMap();
  let count = 0;
  return (owner, again) => {
    const { threadId } = require("node:worker_threads");
    if (!known.has(owner)) known.set(owner, `${process.pid}.${threadId}.${started}.${(count += 1)}`);
    return again ? `${known.get(owner)}.${again}` : known.get(owner);
  };
}

module.exports = { createRunningTest };
