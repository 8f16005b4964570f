// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* Puts the hooks into a process. What is shipped is this and all that it needs as one file: many cost time at each start. */

function install(target) {
  let readHeader = () => undefined;
  const notes = require("./guard-notes.cjs").createNotes(target, () => readHeader());
  const guard = guardOf(process.env, notes);
  require("./connections.cjs").watchConnections(target, () => readHeader(), guard?.models);
  const { createRunningTest } = require("./runners/running-test.cjs");
  const { createStackReader } = require("./stack.cjs");
  const { headerFor } = require("./header.cjs");
  const running = createRunningTest(require("./runners/tests-began.cjs").createTestsBegan(target));
  // The newest probe that answers wins, so each runner can only add to what is known.
  for (const name of ["node-test", "jest", "vitest", "mocha", "playwright"]) {
    try {
      require(`./runners/${name}.cjs`).watch(running);
    } catch {
      // The other runners and the stack remain.
    }
  }
  const stack = createStackReader(process.env.TAPEDECK_ROOTS);
  const scope = () => running.current()?.x;
  const { watchCallPlaces } = require("./call-places.cjs");
  const placeOfCall = watchCallPlaces(stack, scope);
  const frames = () => {
    const own = stack.framesOf(stack.trace());
    return own.length > 0 ? own : placeOfCall();
  };
  readHeader = () => headerFor(running, { frames, isMine: stack.isMine });
  require("./requests.cjs").watchRequests(target, { readHeader, scope }, guard);
  if (guard) guardProcess(target, guard, notes);
}

function guardOf(env, notes) {
  try {
    return require("./guard.cjs").readGuard(env.TAPEDECK_GUARD, (host) => notes.elsewhere(host));
  } catch {
    return undefined; // not as we write it: clients with a variable go on working
  }
}

function guardProcess(target, guard, notes) {
  try {
    const { createPassing } = require("./guard-notes.cjs");
    require("./guard.cjs").guardConnections(target, guard, createPassing(notes));
    require("./children.cjs").keepHooksInChildren(process.env);
    require("./mocks.cjs").makeRoomForMocks(process.env, guard, notes);
    if (guard.tell) notes.hello();
  } catch {
    // Clients with a variable go on working.
  }
}

module.exports = { install };
