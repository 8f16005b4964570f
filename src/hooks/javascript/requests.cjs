// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * The two places where a request for the replay server passes: the diagnostics channel of fetch and undici, and the
 * agent of node:http, which axios, got and node-fetch use. Both lie below whatever tests put in the place of fetch.
 */
const channel = require("node:diagnostics_channel");
const http = require("node:http");
const { wrapMethod } = require("./wrap-method.cjs");

const HEADER = "x-tapedeck-test";

function watchRequests(target, readHeader) {
  const hosts = new Set([target.hostname, "127.0.0.1", "localhost"]);
  const origins = new Set([...hosts].map((host) => `${target.protocol}//${host}:${target.port}`));

  channel.subscribe("undici:request:create", ({ request }) => {
    quietly(() => {
      if (!origins.has(String(request.origin)) || String(request.headers).toLowerCase().includes(HEADER))
        return;
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
          const isOurs = String(options?.port) === target.port && hosts.has(options.host ?? options.hostname);
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
