// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* Connections that are refused, or reported because they leave the machine. */
const net = require("node:net");
const { wrapMethod } = require("./wrap-method.cjs");

/**
 * Handles connections that cannot be redirected. They are allowed if the run's mode may call providers, refused otherwise,
 * and reported in both cases. `open` receives a socket, which connects when the mode is known.
 */
function createPassing(notes) {
  const report = createReporter(notes);
  return {
    /**
     * Reports a connection that leaves the machine. Returns false if the run blocks it: `refuse` is called with the error
     * once the server has the report, because the error may end the process.
     */
    leave({ host, port }, guard, refuse) {
      if (guard.models.isHere(host)) return true;
      const name = [443, 80].includes(Number(port)) ? host : `${host}:${port}`;
      if (!guard.isAllowed(host, port)) {
        notes.blocked(name, () => refuse(refusal(host, BLOCKED)));
        return false;
      }
      if (guard.counts) notes.left(name);
      return true;
    },
    /** Refuses a call to a model that a program writes by hand on a connection to a host of no known provider. */
    watchWrites(socket, { host, port }, models) {
      if (models.isHere(host)) return;
      const { write } = socket;
      socket.write = function (chunk, ...rest) {
        const start = typeof chunk === "string" ? chunk.slice(0, FIRST_LINE) : latin1(chunk);
        const [, method, url] = /^([A-Z]+) (\S+) HTTP\/1/.exec(start) ?? [];
        if (!models.isCall(method, url)) return write.call(this, chunk, ...rest);
        const { reason, refused } = PASSING.byHand;
        const text = `${reason}, which Tapedeck cannot answer: it was refused`;
        notes.passed(`${host}:${port}`, text, () => socket.destroy(refusal(host, refused)));
        return false;
      };
    },
    /** Handles a connection for gRPC or the like. */
    pass({ host, port }, open) {
      const held = new net.Socket();
      held.connecting = true;
      const opened = open(held);
      report({ host, port }, PASSING.http2, (error) => {
        if (error) opened.destroy(error);
        else held.connect({ host, port, [Symbol.for("tapedeck.direct")]: true });
      });
      return opened;
    },
    /** Reports the calls of @grpc/grpc-js when they are made, because it looks the host up before it connects. */
    watchGrpc: (grpc, isProvider) => watchCallsOfGrpc(grpc, isProvider, report),
  };
}

/**
 * Returns a function that reports a call that is not recorded, then goes on: with an error if the run's mode may not call
 * providers.
 */
function createReporter(notes) {
  /** Places whose calls were reported, so that their connections are not. */
  const overGrpc = new Set();
  return ({ host, port }, kind, proceed) =>
    notes.mayLeave((mayLeave) => {
      const { reason, refused } = kind;
      const name = `${host}:${port}`;
      const error = mayLeave ? undefined : refusal(host, refused);
      const outcome = mayLeave ? "Tapedeck does not record" : "Tapedeck cannot answer: it was refused";
      if (kind === PASSING.grpc) overGrpc.add(name);
      else if (overGrpc.has(name)) return proceed(error);
      return notes.passed(name, `${reason} that ${outcome}. ${refused[1]}`, () => proceed(error));
    });
}

const watched = new WeakSet();

function watchCallsOfGrpc({ Channel }, isProvider, report) {
  if (!Channel?.prototype.createCall || watched.has(Channel)) return;
  watched.add(Channel);
  wrapMethod(
    Channel.prototype,
    "createCall",
    (original) =>
      function (...args) {
        const call = original.apply(this, args);
        const [, host, port = "443"] = GRPC_TARGET.exec(this.getTarget()) ?? [];
        if (host !== undefined && isProvider(host, port))
          report({ host, port }, PASSING.grpc, (error) => {
            if (error) call.cancelWithStatus(PERMISSION_DENIED, error.message);
          });
        return call;
      },
  );
}

/** "dns:api.x.ai:443", "dns:///api.x.ai", or an address of IPv4. */
const GRPC_TARGET = /^(?:dns:(?:\/\/[^/]*\/)?|ipv4:)?([^/:,]+)(?::(\d+))?$/;
/** A status of gRPC that clients do not retry. */
const PERMISSION_DENIED = 7;

/** Longest start of a request, in characters, that is searched for its method and path. */
const FIRST_LINE = 2_048;

function latin1(chunk) {
  return ArrayBuffer.isView(chunk)
    ? Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.byteLength, FIRST_LINE)).latin1Slice()
    : "";
}

const PASSING = {
  byHand: {
    reason: "its client writes HTTP directly to a socket",
    refused: [
      "its client writes HTTP directly to a socket",
      "Have the client use fetch, node:http, or node:https.",
    ],
  },
  grpc: {
    reason: "it speaks gRPC",
    refused: ["it speaks gRPC", "Have the client use REST, or call the provider with a client that does."],
  },
  http2: {
    reason: "it speaks a protocol over HTTP/2 (gRPC, as a rule)",
    refused: ["its client speaks gRPC or the like", "Have the client use REST where it offers that."],
  },
};

const BLOCKED = [
  "this run blocks the network (--block-network)",
  'If tests need that host, add it to "allowHosts" in tapedeck.jsonc.',
];

function refusal(host, [why, mend]) {
  const text = `Tapedeck refused a connection to ${host}: ${why}, and nothing may be sent in this mode. ${mend}`;
  return Object.assign(new Error(text), { code: "ECONNREFUSED" });
}

/** The error for a connection that the server did not agree to, by its answer to the CONNECT. */
function refusedBy(answer) {
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  let text = "Tapedeck closed the connection.";
  try {
    const { error } = JSON.parse(body);
    text = error.message ?? error;
  } catch {
    // The text above is all that is known.
  }
  return Object.assign(new Error(text), { code: "ECONNREFUSED" });
}

module.exports = { createPassing, refusedBy };
