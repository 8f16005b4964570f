// @ts-nocheck -- plain CommonJS in the syntax of ES2015, because every Node that reads NODE_OPTIONS has to parse it
/* eslint-disable no-unused-vars -- a catch without a parameter is newer than that */
"use strict";
/*
 * NODE_OPTIONS=--require loads this into the Node processes of a test run. It adds one header, x-tapedeck-test, to
 * requests to Tapedeck's replay server, which names the test that makes the call. It also reports that tests run here.
 * Before anything else is sent, the server has to prove its identity. Connections to hosts of TAPEDECK_GUARD are
 * redirected to it. All other requests stay as they are; `fetch` only notes their body. Failures in here are ignored,
 * because no test may fail because of them.
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
