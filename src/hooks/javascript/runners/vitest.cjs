// @ts-nocheck -- it looks into the private objects of test runners, which have no types
"use strict";
/*
 * vitest keeps the state of a worker in a global, and the running task in that state's `current`: setting it enters the
 * task's context. In the pools that use vm contexts the global is defined on those, with the same function.
 */
const { wrapMethod } = require("../wrap-method.cjs");

const STATE = "__vitest_worker__";

function watch(running) {
  if (!process.env.VITEST) return;
  let newest;
  wrapMethod(
    Object,
    "defineProperty",
    (original) =>
      function (target, key, descriptor) {
        const result = original.call(this, target, key, descriptor);
        if (key === STATE && descriptor?.value) {
          newest = descriptor.value;
          running.attempt(() => watchState(running, newest, original));
        }
        return result;
      },
  );
  running.addFallback(() => newest && outsideOfTests(running, newest));
}

function watchState(running, state, defineProperty) {
  let current = state.current;
  defineProperty(state, "current", {
    configurable: true,
    enumerable: true,
    get: () => current,
    set(task) {
      current = task;
      // A suite is announced late, when its hooks may run in the context of the one before, or of its last test, whose
      // duration is known by then: the newest is right.
      const isOver = () => task.type !== "test" || task.result?.duration !== undefined;
      const owner = () => (current?.type === "suite" && isOver() ? current : task);
      running.enter(task && (() => described(running, owner())));
    },
  });
}

function outsideOfTests(running, state) {
  if (state.current) return { ...described(running, state.current), guess: true };
  const file = state.filepath; // being collected
  return file ? { runner: "vitest", phase: "module", file, x: running.executionOf(state, file) } : undefined;
}

function described(running, task) {
  const test = task.type === "test";
  // A file that did not load has nothing to run.
  const isEmpty = task.filepath && !task.tasks?.length;
  const { result } = task;
  return {
    runner: "vitest",
    phase: test ? "test" : isEmpty ? "module" : "hook",
    file: (task.file ?? task).filepath,
    line: task.location?.line,
    project: task.file?.projectName || undefined,
    name: running.titlesOf(
      task,
      (at) => at.suite,
      (at) => (at.filepath ? "" : at.name),
    ),
    trial:
      test &&
      running.trialOf(task, (task.suite ?? task.file)?.tasks, (one) => one.name, {
        count: result?.repeatCount ?? 0,
        of: task.repeats ?? 0,
      }),
    x: running.executionOf(task, test && `${result?.repeatCount ?? 0}.${result?.retryCount ?? 0}`),
    shared: !test,
  };
}

module.exports = { watch };
