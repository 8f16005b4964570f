// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Requests over HTTP/2 pass neither the agent of node:http nor undici. Node's module for it takes a third of the time
 * that all hooks take, so it is watched only where the program has loaded it.
 */
const { wrapMethod } = require("./wrap-method.cjs");

/** Set on connections to the replay server. */
const TO_SERVER = Symbol.for("tapedeck.to-server");
const HEADER = "x-tapedeck-test";
let isWatched = false;

/** To be called before a connection to the replay server is opened; adds the header to what HTTP/2 sends over those. */
function watchHttp2(readHeader) {
  if (isWatched || !process.moduleLoadList?.includes("NativeModule http2")) return;
  isWatched = true;
  wrapMethod(
    sessionPrototype(),
    "request",
    (original) =>
      function (headers, options) {
        return original.call(this, marked(this, headers, readHeader), options);
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

/** No name leads there but that of a session. */
function sessionPrototype() {
  const { Duplex } = require("node:stream");
  const nowhere = new Duplex({ read() {}, write: (_piece, _encoding, done) => done() });
  const session = require("node:http2").connect("http://nowhere", { createConnection: () => nowhere });
  const prototype = Object.getPrototypeOf(session);
  session.on("error", () => {});
  session.destroy();
  return prototype;
}

module.exports = { TO_SERVER, watchHttp2 };
