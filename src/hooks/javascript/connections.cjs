// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * The replay server may be gone while a terminal still names its port, and any program may have that port now. Before
 * the first connection to it, the server there has to prove that it knows the token, which is not told: see
 * src/server/guard/proof.ts. That holds for as long as the connection over which it was proved stays open.
 */
const { AsyncResource } = require("node:async_hooks");
const net = require("node:net");
const { TO_SERVER, watchHttp2 } = require("./http2.cjs");
const { wrapMethod } = require("./wrap-method.cjs");

/** A machine may be busy; a port that says nothing for so long is not trusted. */
const PATIENCE_MS = 20_000;
/** A process that only says that it is there waits no longer for a server that is busy. */
const GREETING_MS = 500;

/** Set on a connection for which no process is kept alive. */
const GREETING = Symbol("greeting");

/** `readHeader`: returns which test runs. `models`: as model-calls.cjs makes them, in a guarded process. */
function watchConnections(target, readHeader, models) {
  const hosts = new Set([target.hostname, "127.0.0.1", "localhost"]);
  const isOurs = ({ host = "localhost", port }) => String(port) === target.port && hosts.has(host);
  wrapMethod(net.Socket.prototype, "connect", (original) => {
    const prover = createProver(target, original);
    return function (...args) {
      watchHttp2(readHeader, models);
      if (!isOurs(addressIn(args))) return original.apply(this, args);
      this[TO_SERVER] = true;
      if (prover.isProved) return original.apply(this, args);
      const isGreeting = addressIn(args)[GREETING] === true;
      void connectProved(this, prover.prove(isGreeting), () => original.apply(this, args));
      return this;
    };
  });
}

async function connectProved(socket, proving, connect) {
  const wasDestroyed = socket.destroyed;
  socket.connecting = true; // so that what is written meanwhile waits
  try {
    await proving;
  } catch (error) {
    socket.destroy(error);
    return;
  }
  if (wasDestroyed || !socket.destroyed) connect();
}

/** Has the server prove itself where it has not, or where the connection over which it did has ended. */
function createProver(target, connect) {
  // In the context of the process, not in that of the first test that calls.
  const challenge = AsyncResource.bind(challengeOf(target, connect));
  const tell = createTeller(target);
  let proving;
  let asked;
  const prover = { isProved: false, prove };

  function prove(isGreeting) {
    proving ??= proved();
    if (isGreeting) setTimeout((one) => one.isAwaited || one.unref(), GREETING_MS, asked).unref();
    else if (!prover.isProved) Object.assign(asked, { isAwaited: true }).ref();
    return proving;
  }

  async function proved() {
    try {
      const connection = await challenge((one) => (asked = one));
      connection.once("close", forget);
      prover.isProved = true;
    } catch (error) {
      forget();
      tell(error);
      throw error;
    }
  }

  function forget() {
    prover.isProved = false;
    proving = undefined;
  }

  return prover;
}

/** As the arguments of `connect` say it, which `net.connect` gives as a list. */
function addressIn(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === "object" && first !== null) return first;
  return { port: first, ...(typeof second === "string" && { host: second }) };
}

function challengeOf(target, connect) {
  const token = target.pathname.slice(1);
  return (onAsked) =>
    new Promise((resolve, reject) => {
      const { createHash, createHmac, randomBytes } = require("node:crypto");
      const id = createHash("sha256").update(`tapedeck id\n${token}`).digest("hex").slice(0, 32);
      const nonce = randomBytes(16).toString("hex");
      const proof = createHmac("sha256", token)
        .update(`tapedeck proof\n${target.port}\n${nonce}`)
        .digest("hex");
      const connection = new net.Socket();
      let said = "";
      const fail = () => connection.destroy(strange(target));
      connection.setEncoding("latin1");
      connection.setTimeout(PATIENCE_MS, fail);
      connection.on("error", reject);
      connection.once("close", () => reject(strange(target)));
      connection.on("data", (text) => {
        said += text;
        const [head, body = ""] = said.split("\r\n\r\n");
        if (said.length > 4_096 || !head.startsWith("HTTP/1.1 200 ".slice(0, head.length))) fail();
        else if (body === proof) {
          connection.removeAllListeners("data").resume();
          connection.setTimeout(0);
          connection.unref();
          resolve(connection);
        } else if (body.length >= proof.length) fail();
      });
      connect.call(connection, { host: target.hostname, port: Number(target.port) });
      onAsked(connection);
      connection.write(`GET /@proof/${id}/${nonce} HTTP/1.1\r\nhost: ${target.host}\r\n\r\n`);
    });
}

function strange({ host }) {
  const text = `What answers at ${host} is not the Tapedeck that set this process's variables, or knows them no longer. Nothing was sent there. Open a new terminal and start this again.`;
  return Object.assign(new Error(text), { code: "ECONNREFUSED" });
}

/** Says once why no call of this process is answered, whatever its client makes of the error. */
function createTeller(target) {
  let isTold = false;
  return ({ code, message, syscall }) => {
    if (isTold) return;
    isTold = true;
    const isGone = code === "ECONNREFUSED" && syscall === "connect";
    const text = isGone
      ? `Nothing answers at ${target.host}: the VS Code window or the command that set this process's variables was closed, or Tapedeck was turned off there. Start this again from a new terminal.`
      : message;
    try {
      require("node:fs").writeSync(2, `Tapedeck: ${text}\n`);
    } catch {
      // Nobody listens.
    }
  };
}

module.exports = { GREETING, watchConnections };
