// @ts-nocheck -- it looks into the private objects of test runners, which have no types
"use strict";
/*
 * vitest keeps the state of a worker in a global, and the running task in that state's `current`. In the pools that use vm contexts the global is defined on those, with the same function.
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
  running.addFallback(() => newest && currentOf(running, newest));
}

function watchState(running, state, defineProperty) {
  let current = state.current;
  defineProperty(state, "current", {
    configurable: true,
    enumerable: true,
    get: () => current,
    set(task) {
      current = task;
      const describe = task && (() => described(running, task));
      if (describe) running.starts(describe);
      running.enter(task?.concurrent ? describe : undefined);
    },
  });
}

function currentOf(running, state) {
  if (state.current) return described(running, state.current);
  const file = state.filepath; // being collected
  return file ? { runner: "vitest", phase: "module", file, x: running.executionOf(state, file) } : undefined;
}

/** The description of the latest test. Clients ask for it several times per call, and it counts the test's siblings. */
let latest = { task: undefined, attempt: "", description: undefined };

function described(running, task) {
  const { repeatCount = 0, retryCount = 0 } = task.result ?? {};
  const attempt = `${repeatCount}.${retryCount}`;
  if (latest.task !== task || latest.attempt !== attempt || task.type !== "test")
    latest = { task, attempt, description: describeTask(running, task, { repeatCount, attempt }) };
  return latest.description;
}

function describeTask(running, task, { repeatCount, attempt }) {
  const test = task.type === "test";
  // A file that did not load has nothing to run, and neither has one whose tests are all skipped.
  const isEmpty = task.filepath && (!task.tasks?.length || task.mode === "skip" || task.mode === "todo");
  return {
    runner: "vitest",
    phase: test ? "test" : isEmpty ? "module" : "hook",
    file: (task.file ?? task).filepath,
    line: task.location?.line,
    name: running.titlesOf(
      task,
      (at) => at.suite,
      (at) => (at.filepath ? "" : at.name),
    ),
    trial:
      test &&
      running.trialOf(task, (task.suite ?? task.file)?.tasks, (one) => one.name, {
        count: repeatCount,
        of: task.repeats ?? 0,
      }),
    x: running.executionOf(task, test && attempt),
    shared: !test,
  };
}

module.exports = { watch };
