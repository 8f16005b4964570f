// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Tells the replay server once that tests run in this process, and keeps that connection: where it ends, so did the
 * process, however it ended. So a run of tests of which no call arrives can be told from no run at all.
 */
const { AsyncResource } = require("node:async_hooks");
const net = require("node:net");

function createTestsBegan(target) {
  let isTold = false;
  // In the context of the process, not in that of its first test, which would be kept for as long as the connection.
  const tell = AsyncResource.bind((runner) => {
    const socket = net.connect({ host: target.hostname, port: Number(target.port) });
    socket.on("error", () => {}); // the server may be gone
    socket.resume().unref();
    const query = `runner=${encodeURIComponent(runner)}&age=${Math.round(process.uptime() * 1_000)}`;
    socket.write(`GET ${target.pathname}/@tests?${query} HTTP/1.1\r\nhost: ${target.host}\r\n\r\n`);
  });
  return (runner) => {
    if (isTold || !runner) return;
    isTold = true;
    try {
      tell(runner);
    } catch {
      // Processes may not be allowed to connect.
    }
  };
}

module.exports = { createTestsBegan };
