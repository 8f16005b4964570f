// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Requests over HTTP/2 pass neither the agent of node:http nor undici. Loading Node's module for it takes longer than
 * all hooks do, so it is watched only where the program has loaded it.
 */
const { TO_SERVER } = require("./server.cjs");
const { wrapMethod } = require("./wrap-method.cjs");

/** Set by guard.cjs on connections that a client opens itself: their host and port. */
const PLACE = Symbol.for("tapedeck.place");
const HEADER = "x-tapedeck-test";
let isWatched = false;

/**
 * Call it before a connection is opened. Requests to the replay server get the header. With `models`, a call to a model at
 * a host of no known provider is sent to the server instead; the session's other requests stay with their host.
 */
function watchHttp2(readHeader, models) {
  if (isWatched || !process.moduleLoadList?.includes("NativeModule http2")) return;
  isWatched = true;
  wrapMethod(
    sessionPrototype(),
    "request",
    (original) =>
      function (headers, options) {
        const session = (models && redirected(this, headers, models)) ?? this;
        return original.call(session, marked(session, headers, readHeader), options);
      },
  );
}

function marked(session, headers, readHeader) {
  try {
    if (session.socket[TO_SERVER] !== true) return headers;
    const value = readHeader();
    if (!value) return headers;
    // Newer Nodes take a list of names and values, too.
    return Array.isArray(headers) ? [...headers, HEADER, value] : { ...headers, [HEADER]: value };
  } catch {
    return headers;
  }
}

const sessionsToServer = new WeakMap();

/** The session to the replay server that takes a request of `session`; undefined if the request is left alone. */
function redirected(session, headers, models) {
  try {
    const known = sessionsToServer.get(session);
    if (session.destroyed) return known?.closed ? undefined : known;
    const { [TO_SERVER]: isToServer, encrypted, stream } = session.socket;
    const place = session.socket[PLACE] ?? stream?.[PLACE]; // Node wraps a socket that is not open
    const isTls = encrypted === true;
    const request = { method: headerIn(headers, ":method"), path: headerIn(headers, ":path") };
    if (isToServer || !place || !models.recognize({ isTls, ...place }, request)) return undefined;
    if (known && !known.closed) return known;
    const host = place.host.includes(":") ? `[${place.host}]` : place.host;
    const other = require("node:http2").connect(`http${isTls ? "s" : ""}://${host}:${place.port}`);
    other.on("error", () => {}); // its streams report it
    sessionsToServer.set(session, other);
    endTogether(session, other);
    return other;
  } catch {
    return undefined;
  }
}

function headerIn(headers = {}, name) {
  return Array.isArray(headers) ? headers[headers.indexOf(name) + 1] : headers[name];
}

/**
 * The program closes the session that it opened. That session's errors are ignored, because its host may be out of reach
 * while its calls are answered here.
 */
function endTogether(session, other) {
  const { close, destroy, emit } = session;
  session.close = function (...args) {
    other.close();
    return close.apply(this, args);
  };
  session.destroy = function (error, ...rest) {
    if (!error) other.destroy();
    return destroy.call(this, error, ...rest);
  };
  session.emit = function (name, ...values) {
    return name === "error" || emit.call(this, name, ...values);
  };
}

/** The prototype has no public name, so that it is taken from a session. */
function sessionPrototype() {
  const { Duplex } = require("node:stream");
  const nowhere = new Duplex({ read() {}, write: (_piece, _encoding, done) => done() });
  const session = require("node:http2").connect("http://nowhere", { createConnection: () => nowhere });
  const prototype = Object.getPrototypeOf(session);
  session.on("error", () => {});
  session.destroy();
  return prototype;
}

module.exports = { watchHttp2 };
