// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * The two places where a request for the replay server passes: the diagnostics channel of fetch and undici, and the
 * agent of node:http, which axios, got and node-fetch use. Both lie below whatever tests put in the place of fetch.
 */
const channel = require("node:diagnostics_channel");
const http = require("node:http");
const { watchConnectionsOfUndici } = require("./model-calls.cjs");
const { createTakes, headersOfUndici, numberWhenWritten, watchFetchBodies } = require("./takes.cjs");
const { wrapMethod } = require("./wrap-method.cjs");

/** Agents of @mswjs/interceptors: what they are given is what a test sees. */
const MOCKING = /^Mock/;
const HEADER = "x-tapedeck-test";
/** Set on connections of Tapedeck itself. */
const DIRECT = Symbol.for("tapedeck.direct");

/** `guard`: redirects connections, if present; `scope`: names the running test. */
function watchRequests(target, { readHeader, scope }, guard) {
  const takes = createTakes(scope);
  const bodyOfFetch = watchFetchBodies();
  const hosts = new Set([target.hostname, "127.0.0.1", "localhost"]);
  const origins = new Set([...hosts].map((host) => `${target.protocol}//${host}:${target.port}`));

  const isModelCallAt = (isTls, host, port, request) =>
    guard !== undefined && guard.models.recognize({ isTls, host, port }, request);
  const isKnown = (isTls, host, port) => guard !== undefined && guard.isKnown(isTls, host, port);

  watchUndici(guard, { isModelCallAt, isKnown, isServer: (origin) => origins.has(origin) }, (request) => {
    if (String(request.headers).toLowerCase().includes(HEADER)) return;
    const { method, origin, path } = request;
    const headers = headersOfUndici(request.headers);
    const place = takes.number(request, {
      method,
      url: `${origin}${path}`,
      headers,
      body: bodyOfFetch(request),
    });
    const value = `${readHeader() ?? ""}${place}`;
    if (value) request.addHeader(HEADER, value);
  });

  const own = agentsOfOurs();
  wrapMethod(
    http.Agent.prototype,
    "addRequest",
    (original) =>
      function (request, options, ...rest) {
        let agent = this;
        quietly(() => {
          const host = options?.host ?? options?.hostname;
          const isServer = String(options?.port) === target.port && hosts.has(host);
          const isTls = this.protocol === "https:";
          const isMocking = MOCKING.test(this.constructor.name);
          const port = options?.port || (isTls ? 443 : 80);
          const isProvider = isServer || isKnown(isTls, host, port);
          const isModelCall = !isProvider && !options?.[DIRECT] && isModelCallAt(isTls, host, port, request);
          const isOurs = !isMocking && (isProvider || isModelCall);
          if (isModelCall && !isMocking) agent = own.insteadOf(this, isTls);
          // Headers that were given as a list are on their way already: such a call goes without.
          if (!isOurs || request.headersSent || request.getHeader(HEADER)) return;
          const test = readHeader() ?? "";
          const mark = (place) => test + place && request.setHeader(HEADER, test + place);
          mark("");
          numberWhenWritten(takes, request, `${isTls} ${host}:${port}${request.path}`, mark);
        });
        return original.call(agent, request, options, ...rest);
      },
  );
}

/**
 * Agents for calls to models alone: those of the program may keep connections that were opened to the host before, or go
 * through a proxy.
 */
function agentsOfOurs() {
  const agents = new Map();
  return {
    insteadOf(agent, isTls) {
      const module = isTls ? require("node:https") : http;
      const isPlain = agent.constructor === module.Agent && !Object.hasOwn(agent, "createConnection");
      if (!isPlain && !/Proxy/.test(agent.constructor.name)) return agent;
      if (!agents.has(isTls)) agents.set(isTls, new module.Agent({ keepAlive: true }));
      return agents.get(isTls);
    },
  };
}

function watchUndici(guard, { isModelCallAt, isKnown, isServer }, mark) {
  const placeOf = (origin) => {
    const { protocol, hostname, port } = new URL(origin);
    const isTls = protocol === "https:";
    return [isTls, hostname, port || (isTls ? 443 : 80)];
  };
  const connections = guard && watchConnectionsOfUndici(channel, require("./guard.cjs").isRedirected);
  channel.subscribe("undici:request:create", ({ request }) => {
    quietly(() => {
      const place = placeOf(request.origin);
      if (isServer(String(request.origin)) || isKnown(...place)) {
        mark(request);
        return;
      }
      if (!isModelCallAt(...place, request)) return;
      connections.closeIdle(place[1], place[2]);
      mark(request);
    });
  });
  if (guard === undefined) return;
  channel.subscribe("undici:client:sendHeaders", ({ request, socket }) => {
    quietly(() => {
      const [, host] = placeOf(request.origin);
      const isPast = guard.models.isCall(request.method, request.path) && !guard.models.isHere(host);
      const isStandIn = socket.remoteAddress !== undefined && guard.models.isHere(socket.remoteAddress);
      if (isPast && !isStandIn && connections.connectionOf(socket)) socket.destroy(new Error(PAST));
    });
  });
}

const PAST =
  "Tapedeck ended a connection that was opened before its host was known to serve models. Send the request again.";

function quietly(act) {
  try {
    act();
  } catch {
    // The call goes on without the header.
  }
}

module.exports = { watchRequests };
