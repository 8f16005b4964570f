// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Calls to models at hosts of no known provider, recognized by method and path before their connection is opened. From the
 * first one on, connections to such a host lead to the replay server, which reads the bodies and sends on what asks no
 * model. This machine's own hosts are left alone: a test starts its stand-ins there.
 */
const THIS_MACHINE = /^(?:(?:.+\.)?localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1?\]?)$/i;

/**
 * `pattern`: the methods and paths of calls to models, as src/core/protocol/model-call.ts has them. `onElsewhere`: called once
 * for each host of this machine at which models are asked.
 */
function createModelHosts(pattern, nameOf, onElsewhere) {
  const calls = pattern && new RegExp(pattern, "i");
  const schemes = new Map();
  const elsewhere = new Set();
  const isCall = (method, path) => Boolean(calls) && calls.test(`${method} ${path}`);
  const isHere = (host) => THIS_MACHINE.test(String(host));
  return {
    isCall,
    isHere,
    /** Whether a request is a call at a host of no known provider. From then on connections to that host lead to the server. */
    recognize({ isTls, host, port }, { method, path }) {
      if (!isCall(method, path)) return false;
      if (!isHere(host)) {
        schemes.set(nameOf({ host, port }), isTls ? "https" : "http");
        return true;
      }
      const name = `${host}:${port}`;
      if (!elsewhere.has(name)) onElsewhere(name);
      elsewhere.add(name);
      return false;
    },
    isLearned: (isTls, host, port) =>
      typeof host === "string" && schemes.get(nameOf({ host, port })) === (isTls ? "https" : "http"),
    schemeOf: (name) => schemes.get(name),
  };
}

/**
 * Connections of undici that were opened to a host before it was known to serve models: those that are idle are closed,
 * so that the call opens a new one; a call that would go out over another is refused.
 */
function watchConnectionsOfUndici(channel, isRedirected) {
  const connections = new Set();
  const busy = new Map();
  channel.subscribe("undici:client:connected", ({ connectParams, socket }) => {
    if (isRedirected(socket)) return;
    const { hostname, port, protocol } = connectParams;
    const connection = { socket, host: hostname, port: port || (protocol === "https:" ? 443 : 80), calls: 0 };
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  });
  const connectionOf = (socket) => [...connections].find((one) => one.socket === socket);
  channel.subscribe("undici:client:sendHeaders", ({ request, socket }) => {
    const connection = connectionOf(socket);
    if (!connection) return;
    connection.calls += 1;
    busy.set(request, connection);
  });
  for (const end of ["undici:request:trailers", "undici:request:error"])
    channel.subscribe(end, ({ request }) => {
      const connection = busy.get(request);
      if (connection) connection.calls -= 1;
      busy.delete(request);
    });
  return {
    closeIdle(host, port) {
      for (const one of connections)
        if (one.host === host && String(one.port) === String(port) && one.calls === 0) one.socket.destroy();
    },
    connectionOf,
  };
}

module.exports = { createModelHosts, watchConnectionsOfUndici };
