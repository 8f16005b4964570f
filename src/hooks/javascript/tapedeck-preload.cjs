// @ts-nocheck -- plain CommonJS in the syntax of ES2015, because every Node that reads NODE_OPTIONS has to parse it
/* eslint-disable no-unused-vars -- a catch without a parameter is newer than that */
"use strict";
/*
 * Loaded into the Node processes of a test run by NODE_OPTIONS=--require. It adds one header, x-tapedeck-test, to
 * requests for Tapedeck's replay server: which test makes the call. It also tells that server that tests run here. It
 * asks that server who it is before anything else is sent there. Connections to hosts of TAPEDECK_GUARD are redirected
 * to it. Any other request passes as it is, `fetch` only notes its body, and a failure in here is swallowed, because no
 * test may ever fail of it.
 *
 * In a Node older than 18, which lacks what is needed, all that happens is that a test runner's process tells so.
 *
 *   TAPEDECK_URL    http://127.0.0.1:PORT/TOKEN; without it nothing happens at all
 *   TAPEDECK_ROOTS  the workspace's folders, path.delimiter between them; the working directory where absent
 *   TAPEDECK_GUARD  the hosts of providers, as src/hooks/environment.ts writes them; "off" for none
 *   TAPEDECK_FOLDERS  the variables of each folder, in what the extensions of a window with several folders start
 */
const isOld = Number.parseInt(process.versions.node, 10) < 18;
if (process.env.TAPEDECK_FOLDERS && !isOld) {
  try {
    require("./folders.cjs").moveToFolder(process.env, process.cwd(), process.env.TAPEDECK_FOLDERS);
  } catch (_) {
    // Not a table, or no working directory: the variables stay as they are.
  }
}
if (process.env.TAPEDECK_URL) {
  try {
    if (!isOld) require("./no-proxy.cjs").keepOffProxies(process.env);
  } catch (_) {
    // The variables stay as they are.
  }
  try {
    if (isOld) tellThatOld(new URL(process.env.TAPEDECK_URL));
    else hook();
  } catch (_) {
    // Not an address, or something that is missing: calls then go without a header.
  }
}

function hook() {
  const once = Symbol.for("tapedeck.attribution");
  if (globalThis[once]) return;
  Object.defineProperty(globalThis, once, { value: true });
  require("./install.cjs").install(new URL(process.env.TAPEDECK_URL));
}

/** By the name of the program: what watches the runners needs a newer Node. */
function tellThatOld(target) {
  const program = /(?:^|[\\/])node_modules[\\/](?:\.bin[\\/]|@)?(vitest|jest|mocha|playwright)(?:[\\/]|$)/;
  const match = program.exec(process.argv[1] || "");
  if (!match) return;
  require("./tell-began.cjs").tellBegan(target, { runner: match[1], age: 0, node: process.versions.node });
}
