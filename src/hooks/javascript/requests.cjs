// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * The two places where a request for the replay server passes: the diagnostics channel of fetch and undici, and the
 * agent of node:http, which axios, got and node-fetch use. Both lie below whatever tests put in the place of fetch.
 */
const channel = require("node:diagnostics_channel");
const http = require("node:http");
const { wrapMethod } = require("./wrap-method.cjs");

/** Agents of @mswjs/interceptors: what they are given is what a test sees. */
const MOCKING = /^Mock/;
const HEADER = "x-tapedeck-test";
/** Set on connections of Tapedeck itself. */
const DIRECT = Symbol.for("tapedeck.direct");

/** How calls to a model are addressed, whoever answers them. */
const MODEL_CALL =
  /\/(?:(?:chat\/)?completions|responses|messages|embeddings|api\/(?:chat|generate|embed)|converse(?:-stream)?|invoke(?:-with-response-stream)?)(?:\?|$)|:(?:stream)?generateContent/i;

/** `guard`: whose connections are redirected, where there is one. `tellElsewhere`: told of hosts that models are asked at. */
function watchRequests(target, readHeader, guard, tellElsewhere = () => {}) {
  const told = new Set();
  const lookAt = (method, path, host) => {
    if (guard === undefined || method !== "POST" || told.has(host) || !MODEL_CALL.test(String(path))) return;
    told.add(host);
    tellElsewhere(host);
  };
  const hosts = new Set([target.hostname, "127.0.0.1", "localhost"]);
  const origins = new Set([...hosts].map((host) => `${target.protocol}//${host}:${target.port}`));

  const isGuarded = (isTls, host, port) =>
    guard !== undefined && (isTls ? guard.overTls(host, port || 443) : guard.inClear(host, port || 80));
  const isOursAt = (origin) => {
    if (origins.has(String(origin))) return true;
    if (guard === undefined) return false;
    const { protocol, hostname, port } = new URL(origin);
    return isGuarded(protocol === "https:", hostname, port);
  };

  channel.subscribe("undici:request:create", ({ request }) => {
    quietly(() => {
      if (!isOursAt(request.origin))
        return lookAt(request.method, request.path, new URL(request.origin).host);
      if (String(request.headers).toLowerCase().includes(HEADER)) return;
      const value = readHeader();
      if (value) request.addHeader(HEADER, value);
    });
  });

  wrapMethod(
    http.Agent.prototype,
    "addRequest",
    (original) =>
      function (request, options, ...rest) {
        quietly(() => {
          const host = options?.host ?? options?.hostname;
          const isServer = String(options?.port) === target.port && hosts.has(host);
          const isTls = this.protocol === "https:";
          const isOurs =
            isServer || (!MOCKING.test(this.constructor.name) && isGuarded(isTls, host, options?.port));
          if (!isOurs && !MOCKING.test(this.constructor.name) && !options?.[DIRECT])
            lookAt(request.method, request.path, `${host}:${options?.port || (isTls ? 443 : 80)}`);
          // Headers that were given as a list are on their way already: such a call goes without.
          if (!isOurs || request.headersSent || request.getHeader(HEADER)) return;
          const value = readHeader();
          if (value) request.setHeader(HEADER, value);
        });
        return original.call(this, request, options, ...rest);
      },
  );
}

function quietly(act) {
  try {
    act();
  } catch {
    // The call goes on without the header.
  }
}

module.exports = { watchRequests };
