// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Redirects connections that any client opens to a provider to the replay server. This works below all replacements that
 * tests make for fetch, http, or a dispatcher: a mock that opens no connection is not affected. The connection begins with
 * a CONNECT request and continues with plain HTTP. The client gets a socket that looks like an established TLS connection.
 */
const net = require("node:net");
const { createModelHosts } = require("./model-calls.cjs");
const { refusedBy } = require("./refusals.cjs");
const { isForHttp2, looksLikeTls, speaksHttp1 } = require("./tls-look.cjs");
const { addressIn } = require("./wrap-method.cjs");

/** Set on connections of Tapedeck itself, which has to reach the provider. */
const DIRECT = Symbol.for("tapedeck.direct");

/** Set on connections that a client opens itself: their host and port. */
const PLACE = Symbol.for("tapedeck.place");

/** `settings`: the value of TAPEDECK_GUARD from src/hooks/environment.ts. `onElsewhere`: see model-calls.cjs. */
function createGuard(settings, onElsewhere) {
  const [isKnownOverTls, isKnownInClear] = [matcherOf(settings.hosts), matcherOf(settings.plain)];
  const models = createModelHosts(settings.calls, nameOf, onElsewhere);
  return {
    counts: settings.counts,
    models,
    isKnown: (isTls, host, port) => (isTls ? isKnownOverTls : isKnownInClear)(host, port),
    overTls: (host, port) => isKnownOverTls(host, port) || models.isLearned(true, host, port),
    inClear: (host, port) => isKnownInClear(host, port) || models.isLearned(false, host, port),
    isAllowed: settings.allowed ? matcherOf(settings.allowed) : () => true,
  };
}

/** Whether `host` and `port` are in a list; patterns as src/core/protocol/origin.ts writes them. */
function matcherOf(names = []) {
  const patterns = names.map((name) => {
    const text = /:\d+$/.test(name) ? name : `${name}:*`;
    const [port] = text.split(":").slice(-1);
    const host = text.slice(0, -port.length - 1).replace(/[.[\]]/g, "\\$&");
    return `${host.replaceAll("*", "[a-z0-9-]+")}:${port === "*" ? "\\d+" : port}`;
  });
  if (patterns.length === 0) return () => false;
  const any = new RegExp(`^(?:${patterns.join("|")})$`, "i");
  return (host, port) => typeof host === "string" && any.test(nameOf({ host, port }));
}

/** A name may end in a dot, which means no other host. */
function nameOf({ host, port }) {
  return `${host.includes(":") ? `[${host}]` : host.replace(/\.$/, "")}:${port}`;
}

/**
 * `connect`: connects a socket with the arguments given. Gives how connections are made: in the clear, and over TLS, where
 * `original` is the runtime's own `tls.connect`.
 */
function guardConnections(target, { guard, passing, connect }) {
  const redirect = redirectorOf(target, guard.models, connect);
  return {
    connect(socket, args) {
      const options = addressIn(args);
      const { host = "localhost", port } = options;
      if (String(port) === target.port || options[DIRECT]) return connect(socket, args);
      // Applies to TLS as well: clients that set it up themselves begin with a plain connection.
      const isGuarded = guard.inClear(host, port) || guard.overTls(host, port);
      if (isMocked(socket)) {
        if (isGuarded) socket[REDIRECTED] = { host, port };
        return connect(socket, args);
      }
      socket[PLACE] ??= { host, port };
      if (!isGuarded) {
        const isElsewhere = options.path || !port;
        if (isElsewhere || passing.leave({ host, port }, guard, (refusal) => socket.destroy(refusal))) {
          const result = connect(socket, args); // it restores the original write()
          if (!isElsewhere && guard.counts) passing.watchWrites(socket, { host, port }, guard.models);
          return result;
        }
        socket.connecting = true;
        return socket;
      }
      const callback = [args, args[0]].flat().findLast((one) => typeof one === "function");
      if (callback) socket.once("connect", callback);
      return redirect(socket, { host, port });
    },
    connectTls: (self, args, original) =>
      connectTls({ target, guard, redirect, passing }, { self, args, original }),
  };
}

/**
 * Whether a library (nock 15, MSW 3) plays the server of this socket, which never connects. Where the library has no answer,
 * it connects another socket, which the guard redirects.
 */
const isMocked = (socket) => Object.hasOwn(socket, "_writeGeneric");

function connectTls({ target, guard, redirect, passing }, { self, args, original }) {
  const { options, callback } = tlsArguments(args);
  if (isServerItself(options, target))
    return connectInClear((socket, place) => socket.connect(place), { options, callback });
  const over = options.socket?.[REDIRECTED];
  const port = options.port || over?.port || 443;
  const servername = options.servername || over?.host;
  const host = hostMeant({ ...options, servername }, (name) => guard.overTls(name, port));
  const connectAsAsked = () => {
    const socket = original.apply(self, args);
    const place = { host: servername || options.host || "localhost", port };
    if (!options[DIRECT]) socket[PLACE] = place;
    if (options.socket && guard.counts) passing.watchWrites(socket, place, guard.models);
    return socket;
  };
  if (options[DIRECT] || options.path) return connectAsAsked();
  if (host === undefined) return connectAsAsked();
  const protocol = speaksHttp1(options) ? "http/1.1" : "h2";
  if (protocol === "h2" && !isForHttp2())
    return passing.pass({ host, port }, (socket) => original.call(self, { ...options, socket }, callback));
  // A tunnel through a proxy, still without data.
  options.socket?.destroy?.();
  // Libraries that replace this method answer HTTP/1.1 only.
  const connect = protocol === "h2" ? redirect : (socket, place) => socket.connect(place);
  return connectInClear(connect, { options: { ...options, host, port }, callback, protocol });
}

/** Whether a client opens TLS to the server, which speaks none: SDKs of WebSockets make `wss:` of every address. */
function isServerItself({ host, port, socket, [DIRECT]: isDirect }, target) {
  return !isDirect && socket === undefined && String(port) === target.port && LOOPBACK.test(host);
}

/** Gives the client a socket without TLS that looks as if it had it. */
function connectInClear(connect, { options, callback, protocol = "http/1.1" }) {
  const { allowHalfOpen, highWaterMark, readableHighWaterMark, signal, host, port } = options;
  const socket = new net.Socket({ allowHalfOpen, highWaterMark, readableHighWaterMark, signal });
  looksLikeTls(socket, options, protocol);
  if (options.timeout) socket.setTimeout(options.timeout);
  if (callback) socket.once("secureConnect", callback);
  socket.once("connect", () => ["secure", "secureConnect"].forEach((event) => socket.emit(event)));
  connect(socket, { host, port });
  // Such a library reads the scheme from the class.
  if (isMocked(socket)) Object.setPrototypeOf(socket, require("node:tls").TLSSocket.prototype);
  return socket;
}

/**
 * Returns the guarded host of a connection, or undefined. A client that connects to an address, or through a proxy, has
 * the name in `servername`. A server on this machine under such a name belongs to a test.
 */
function hostMeant({ host, servername, socket }, isGuarded) {
  const there = host || (socket ? "" : "localhost");
  if (isGuarded(there)) return there;
  return !LOOPBACK.test(there) && isGuarded(servername) ? servername : undefined;
}

const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1)$/i;

/** As `tls.connect` takes them: options, or a port, a host and options, in this order, and a callback. */
function tlsArguments(args) {
  const callback = args.findLast((one) => typeof one === "function");
  const [first, second] = args;
  const options = Object.assign({}, ...args.filter((one) => typeof one === "object" && one !== null));
  if (typeof first !== "object" && typeof first !== "function") options.port = first;
  if (typeof second === "string") options.host = second;
  return { options, callback };
}

const REDIRECTED = Symbol("redirected");

function redirectorOf(target, models, connect) {
  const token = target.pathname.slice(1);
  const server = { host: target.hostname, port: Number(target.port) };
  return (socket, { host, port }) => {
    const name = nameOf({ host, port });
    const scheme = models.schemeOf(name);
    const lines = [
      `CONNECT ${name} HTTP/1.1`,
      `Host: ${name}`,
      `Proxy-Authorization: Bearer ${token}`,
      ...(scheme ? [`Tapedeck-Scheme: ${scheme}`] : []),
    ];
    const ask = `${lines.join("\r\n")}\r\n\r\n`;
    socket[REDIRECTED] = { host, port };
    openTunnel(socket, ask);
    // Not `socket.connect`: mocks that replace it take CONNECT for a request, and never answer.
    return connect(socket, [server]);
  };
}

/**
 * Sends CONNECT and emits "connect" when the server has accepted it. The response to CONNECT is read below the stream. Data
 * that is written before is queued, as for any connection.
 */
function openTunnel(socket, ask) {
  const { emit } = socket;
  const below = (act) => {
    socket.connecting = false;
    act();
    socket.connecting = true;
  };
  socket.emit = function (name, ...values) {
    if (name === "ready") return false;
    if (name !== "connect") return emit.call(this, name, ...values);
    readAnswer(socket, (error) => {
      delete socket.emit;
      if (error) {
        socket.destroy(error);
        return;
      }
      socket.connecting = false;
      for (const one of ["connect", "ready"]) socket.emit(one);
      // Everything that was read until now was the response to CONNECT.
      if (!socket.isPaused()) socket.read(0);
    });
    below(() => {
      /* eslint-disable no-underscore-dangle -- the methods below the stream do not wait for "connect" */
      socket._writeGeneric(false, ask, "latin1", () => {});
      socket._read(0);
      /* eslint-enable no-underscore-dangle */
    });
    return true;
  };
}

const LONGEST_ANSWER = 65_536;

function readAnswer(socket, then) {
  let received = Buffer.alloc(0);
  socket.push = function (piece) {
    if (piece === null) {
      delete socket.push;
      then(refusedBy(received.toString("latin1")));
      return false;
    }
    received = Buffer.concat([received, piece]);
    const end = received.indexOf("\r\n\r\n");
    if (end < 0 && received.length < LONGEST_ANSWER) return true;
    const isAgreed = end >= 0 && received.toString("latin1", 0, 13).startsWith("HTTP/1.1 200 ");
    if (!isAgreed && end >= 0 && !received.toString("latin1", end).trim()) return true; // its words come next
    delete socket.push;
    then(isAgreed ? undefined : refusedBy(received.toString("utf8")));
    const rest = received.subarray(end + 4);
    return !isAgreed || rest.length === 0 || socket.push(rest);
  };
}

const isRedirected = (socket) => socket?.[REDIRECTED] !== undefined;

module.exports = { createGuard, guardConnections, isRedirected };
