// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * What a process needs as soon as it connects anywhere or runs a test. Requests for the replay server pass two places:
 * the diagnostics channel of fetch and undici, and the agent of node:http, which axios, got, and node-fetch use. Clients of
 * WebSockets use no agent.
 */
const channel = require("node:diagnostics_channel");
const { createGuard, guardConnections, isRedirected } = require("./guard.cjs");
const { createPlaces, headerFor } = require("./header.cjs");
const { watchHttp2 } = require("./http2.cjs");
const { watchConnectionsOfUndici } = require("./model-calls.cjs");
const { watchPages } = require("./pages.cjs");
const { createPassing } = require("./refusals.cjs");
const { createServerLink, TO_SERVER } = require("./server.cjs");
const { createTakes, createFetchBodies, headersOfUndici, numberWhenWritten } = require("./takes.cjs");
const { attempt } = require("./wrap-method.cjs");

/** Agents of @mswjs/interceptors: what they are given is what a test sees. */
const MOCKING = /^Mock/;
const HEADER = "x-tapedeck-test";
/** Set on connections of Tapedeck itself. */
const DIRECT = Symbol.for("tapedeck.direct");

/** `context`: as start.cjs makes it. */
function createCalls(context) {
  const { target, settings, running, connect, checkLoads } = context;
  const scope = () => running.current()?.x;
  const places = createPlaces(process.env.TAPEDECK_ROOTS, scope);
  const readHeader = () => headerFor(running, places);
  const server = createServerLink(target, connect, readHeader);
  const guard = settings && attempt(() => createGuard(settings, server.notes.elsewhere));
  const passing = createPassing(server.notes);
  const guarded =
    guard &&
    guardConnections(target, {
      guard,
      passing,
      connect: (socket, args) => server.connect(socket, args),
    });
  const requests = createRequests(target, { readHeader, scope, values: context.values }, guard);
  if (settings?.tell === true) server.notes.hello();
  const beforeConnecting = () => {
    checkLoads();
    watchHttp2(() => (readHeader() ?? "") + context.values.take(), guard?.models);
  };
  return {
    ...requests,
    /** What to do with packages once they are loaded. */
    packages: guard && {
      grpc: (loaded) => passing.watchGrpc(loaded, guard.overTls),
      playwright: (loaded) =>
        watchPages(loaded, { isModel: (url) => isModel(url, target, guard), began: running.began }),
    },
    reportValues: () => server.notes.values(context.values.take()),
    testsBegan(runner) {
      if (server.testsBegan(runner) && context.mockLibrary) server.notes.mocked(context.mockLibrary);
    },
    headersClass: (Native) => places.headersClass(Native),
    connectTls(self, args, original) {
      beforeConnecting();
      return guarded ? guarded.connectTls(self, args, original) : original.apply(self, args);
    },
    connect(socket, args) {
      beforeConnecting();
      return guarded ? guarded.connect(socket, args) : server.connect(socket, args);
    },
  };
}

/** Whether a request is to the replay server or a known provider, or looks like a call to a model at another host. */
function isModel({ protocol, host, hostname, port, pathname }, target, { isKnown, models }) {
  const isTls = protocol === "https:";
  return (
    host === target.host ||
    isKnown(isTls, hostname, port || (isTls ? 443 : 80)) ||
    (!models.isHere(hostname) && models.isCall("POST", pathname))
  );
}

/** `guard`: redirects connections, if present; `scope`: names the running test. */
function createRequests(target, { readHeader, scope, values }, guard) {
  const takes = createTakes(scope);
  const mark = createMarker(takes, { readHeader, values });
  const bodies = createFetchBodies();
  const hosts = new Set([target.hostname, "127.0.0.1", "localhost"]);
  const connections = guard && watchConnectionsOfUndici(channel, isRedirected);
  const placeOf = createOrigins(target, hosts, guard);
  if (guard)
    channel.subscribe("undici:client:sendHeaders", ({ request, socket }) => {
      attempt(() => refusePast(guard.models, { request, socket, connections }));
    });

  function undiciRequest(request) {
    const { isOurs, isTls, host, port } = placeOf(String(request.origin));
    if (!isOurs) {
      if (!guard?.models.recognize({ isTls, host, port }, request)) return;
      connections.closeIdle(host, port);
    }
    if (String(request.headers).toLowerCase().includes(HEADER)) return;
    const { method, origin, path, headers: sent } = request;
    const url = `${origin}${path}`;
    const headers = () => headersOfUndici(sent);
    const position = takes.number(request, { method, url, headers, body: bodies.of(request) });
    const value = `${readHeader() ?? ""}${values.take()}${position}`;
    if (value) request.addHeader(HEADER, value);
  }

  /** Marks a request that an agent of node:http is given; returns the agent that is to send it, if another one is. */
  function agentFor(agent, request, options) {
    const behind = request.headersSent ? undefined : behindProxy(request.path);
    const { host, port, isTls } = behind ?? placeOfRequest(request, options);
    const isMocking = MOCKING.test(agent.constructor.name);
    const isServer = String(port) === target.port && hosts.has(host);
    const isProvider = isServer || guard?.isKnown(isTls, host, port);
    const isModelCall =
      !isProvider && !options?.[DIRECT] && guard?.models.recognize({ isTls, host, port }, request);
    if (isMocking || !(isProvider || isModelCall)) return undefined;
    mark(request, `${isTls} ${host}:${port}`);
    if (behind) return sendWithoutProxy(behind, request, options);
    return isProxy(agent) || (isModelCall && isPlain(agent, isTls)) ? ownAgent(isTls) : undefined;
  }

  /** Marks a request that opens its own connection, as clients of WebSockets do. */
  function markWithoutAgent(request) {
    const { isOurs, isTls, host, port } = placeOf(`${request.protocol}//${request.getHeader("host")}`);
    if (isOurs) mark(request, `${isTls} ${host}:${port}`);
  }

  return {
    undiciRequest: (request) => attempt(() => undiciRequest(request)),
    agentFor: (agent, request, options) => attempt(() => agentFor(agent, request, options)),
    markWithoutAgent: (request) => attempt(() => markWithoutAgent(request)),
    fetchCalled: (args) => attempt(() => bodies.remember(...args)),
  };
}

/** Returns a function that adds the header to a request of node:http. */
function createMarker(takes, { readHeader, values }) {
  return (request, origin) => {
    // Headers that were given as a list are on their way already: such a call goes without.
    if (request.headersSent || request.getHeader(HEADER)) return;
    const test = (readHeader() ?? "") + values.take();
    const set = (position) => test + position && request.setHeader(HEADER, test + position);
    set("");
    numberWhenWritten(takes, request, origin + request.path, set);
  };
}

/** Ends a call to a model that would go out over a connection that was opened before its host was known to serve models. */
function refusePast(models, { request, socket, connections }) {
  if (socket[TO_SERVER] || !models.isCall(request.method, request.path)) return;
  const { hostname } = new URL(request.origin);
  const isStandIn = socket.remoteAddress !== undefined && models.isHere(socket.remoteAddress);
  if (models.isHere(hostname) || isStandIn || !connections.connectionOf(socket)) return;
  socket.destroy(new Error(PAST));
}

/** Gives host and port of an origin, and whether calls to it are answered by the replay server. */
function createOrigins(target, hosts, guard) {
  const known = new Map();
  return (origin) => {
    if (!known.has(origin)) {
      const { protocol, hostname: host, port: given } = new URL(origin);
      const isTls = protocol === "https:";
      const port = given || (isTls ? 443 : 80);
      const isServer = given === target.port && hosts.has(host);
      const isOurs = isServer || guard?.isKnown(isTls, host, port) === true;
      known.set(origin, { isOurs, isTls, host, port });
    }
    return known.get(origin);
  };
}

function placeOfRequest({ protocol }, options) {
  const isTls = protocol === "https:";
  return { host: options?.host ?? options?.hostname, port: options?.port || (isTls ? 443 : 80), isTls };
}

/** Where a request goes that a proxy is to send on: its path is the whole address. */
function behindProxy(path) {
  if (!/^https?:\/\//i.test(path)) return undefined;
  const { protocol, hostname: host, port, host: authority, pathname, search } = new URL(path);
  const isTls = protocol === "https:";
  return { host, port: port || (isTls ? 443 : 80), isTls, authority, path: pathname + search };
}

/** Returns the agent that sends a request to its host instead of to a proxy. */
function sendWithoutProxy({ host, port, isTls, authority, path }, request, options) {
  Object.assign(options, { host, hostname: host, port });
  request.path = path;
  request.setHeader("host", authority);
  return ownAgent(isTls);
}

const isProxy = (agent) => /Proxy|Tunnel/.test(agent.constructor.name) || Boolean(agent.options?.proxyEnv);

/** Whether an agent does what Node's does. It may keep connections that were opened to the host before. */
function isPlain(agent, isTls) {
  const { Agent } = require(isTls ? "node:https" : "node:http");
  return agent.constructor === Agent && !Object.hasOwn(agent, "createConnection");
}

const ownAgents = new Map();

/** An agent for calls to models alone. */
function ownAgent(isTls) {
  const { Agent } = require(isTls ? "node:https" : "node:http");
  if (!ownAgents.has(isTls)) ownAgents.set(isTls, new Agent({ keepAlive: true }));
  return ownAgents.get(isTls);
}

const PAST =
  "Tapedeck ended a connection that was opened before its host was known to serve models. Send the request again.";

module.exports = { createCalls };
