// @ts-nocheck -- plain CommonJS in the syntax of ES2015, because a Node that is too old for the rest tells so with it
"use strict";

/** Tells the replay server of a run of tests. Nothing waits for the answer, and the connection keeps no process alive. */
function tellBegan(target, told) {
  const socket = require("net").connect({ host: target.hostname, port: Number(target.port) });
  socket.on("error", () => {}); // nobody is there
  socket.resume();
  socket.unref();
  const query = Object.keys(told).map((name) => `${name}=${encodeURIComponent(told[name])}`);
  socket.write(`GET ${target.pathname}/@tests?${query.join("&")} HTTP/1.1\r\nhost: ${target.host}\r\n\r\n`);
}

module.exports = { tellBegan };
