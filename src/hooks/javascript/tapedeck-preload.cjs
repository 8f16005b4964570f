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
 * In a Node older than 18, which lacks what is needed, nothing happens.
 *
 *   TAPEDECK_URL    http://127.0.0.1:PORT/TOKEN; without it nothing happens at all
 *   TAPEDECK_ROOTS  the workspace's folders, path.delimiter between them; the working directory where absent
 *   TAPEDECK_GUARD  the hosts of providers, as src/hooks/environment.ts writes them; "off" for none
 *   TAPEDECK_FOLDERS  the variables of each folder, in what the extensions of a window with several folders start
 */
if (Number.parseInt(process.versions.node, 10) >= 18) start(process.env);

function start(env) {
  const once = Symbol.for("tapedeck.attribution");
  if ((!env.TAPEDECK_URL && !env.TAPEDECK_FOLDERS) || globalThis[once]) return;
  Object.defineProperty(globalThis, once, { value: true });
  try {
    require("./start.cjs").start(env, module.constructor);
  } catch (_) {
    // Calls go without a header: no test may fail of it.
  }
}
