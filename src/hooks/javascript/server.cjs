// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * The replay server as this process sees it. The server may be gone while a terminal still names its port, and any
 * program may have that port now. So before the first connection to it, the server there has to prove that it knows the
 * token, which is not sent: see src/server/guard/proof.ts. The proof holds while the connection that carried it is open.
 * The same connection carries reports without an answer, and closes when the process ends.
 */
const net = require("node:net");
const { commandOf } = require("./command.cjs");
const { addressIn } = require("./wrap-method.cjs");

/** Time limit for the proof in ms, generous for a busy machine. A port that sends nothing by then is not trusted. */
const PATIENCE_MS = 20_000;
/** A process that only reports that it started waits no longer for a server that is busy. */
const GREETING_MS = 500;
/** Longest wait for the answer to a question. */
const ANSWER_MS = 2_000;
/** Set on connections to the replay server. */
const TO_SERVER = Symbol.for("tapedeck.to-server");

/** `connect`: the runtime's own `net.Socket.prototype.connect`. `readHeader`: returns which test runs. */
function createServerLink(target, connect, readHeader) {
  const hosts = new Set([target.hostname, "127.0.0.1", "localhost"]);
  const prover = createProver(target, connect);
  /** Connects, if to the replay server then only after it has proved itself. */
  const connectProven = (socket, args) => {
    const { host = "localhost", port } = addressIn(args);
    if (String(port) !== target.port || !hosts.has(host)) return connect.apply(socket, args);
    socket[TO_SERVER] = true;
    if (prover.isProved) return connect.apply(socket, args);
    void connectProved(socket, prover.prove(), () => connect.apply(socket, args));
    return socket;
  };
  let isTold = false;
  return {
    notes: createNotes(target, { prover, connect: connectProven, readHeader }),
    connect: connectProven,
    /**
     * Reports once that tests run in this process. The server never answers, so the open connection shows when the process
     * ends. This separates a test run without calls from no test run. Returns whether this was the first report.
     */
    testsBegan(runner) {
      if (isTold || !runner) return false;
      isTold = true;
      const age = Math.round(process.uptime() * 1_000);
      prover.send(`/@tests?runner=${encodeURIComponent(runner)}&age=${age}`);
      return true;
    },
  };
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
  const warn = createWarning(target);
  let proving;
  let proofSocket;
  const prover = {
    isProved: false,
    /** `isGreeting`: the process does not wait for a busy server. */
    prove(isGreeting) {
      proving ??= proved();
      if (isGreeting) setTimeout((one) => one.isAwaited || one.unref(), GREETING_MS, proofSocket).unref();
      else if (!prover.isProved) Object.assign(proofSocket, { isAwaited: true }).ref();
      return proving;
    },
    /** Sends a request whose answer is not read. */
    send(address, { header, isGreeting } = {}) {
      const lines = [
        `GET ${target.pathname}${address} HTTP/1.1`,
        `host: ${target.host}`,
        ...(header ? [`x-tapedeck-test: ${header}`] : []),
      ];
      const write = (connection) => connection.write(`${lines.join("\r\n")}\r\n\r\n`);
      prover.prove(isGreeting).then(write, () => {}); // the server may be gone
    },
  };

  async function proved() {
    try {
      const connection = await challenge(target, connect, (one) => (proofSocket = one));
      connection.once("close", forget);
      prover.isProved = true;
      return connection;
    } catch (error) {
      forget();
      warn(error);
      throw error;
    }
  }

  function forget() {
    prover.isProved = false;
    proving = undefined;
  }

  return prover;
}

function challenge(target, connect, onAsked) {
  const token = target.pathname.slice(1);
  return new Promise((resolve, reject) => {
    const { createHash, createHmac, randomBytes } = require("node:crypto");
    const id = createHash("sha256").update(`tapedeck id\n${token}`).digest("hex").slice(0, 32);
    const nonce = randomBytes(16).toString("hex");
    const proof = createHmac("sha256", token)
      .update(`tapedeck proof\n${target.port}\n${nonce}`)
      .digest("hex");
    const connection = new net.Socket();
    let reply = "";
    const fail = () => connection.destroy(strange(target));
    connection.setEncoding("latin1");
    connection.setTimeout(PATIENCE_MS, fail);
    connection.on("error", reject);
    connection.once("close", () => reject(strange(target)));
    connection.on("data", (text) => {
      reply += text;
      const [head, body = ""] = reply.split("\r\n\r\n");
      if (reply.length > 4_096 || !head.startsWith("HTTP/1.1 200 ".slice(0, head.length))) fail();
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
function createWarning(target) {
  let isWarned = false;
  return ({ code, message, syscall }) => {
    if (isWarned) return;
    isWarned = true;
    const isGone = code === "ECONNREFUSED" && syscall === "connect";
    const text = isGone
      ? `Nothing answers at ${target.host}: the VS Code window or the command that set this process's variables was closed, or Tapedeck was turned off there. Start this again from a new terminal.`
      : message;
    try {
      require("node:fs").writeSync(2, `Tapedeck: ${text}\n`);
    } catch {
      // Standard error is closed.
    }
  };
}

/** Paths under the run's token for reports and questions to the replay server: src/server/guard-notes.ts. */
function createNotes(target, { prover, connect, readHeader }) {
  const addressOf = (what, parameters) => {
    const query = new URLSearchParams({
      pid: String(process.pid),
      command: commandOf(),
      ...parameters,
    });
    return `/@guard/${what}?${query.toString()}`;
  };
  const send = (what, parameters) => prover.send(addressOf(what, parameters), { header: readHeader() });
  const ask = (what, parameters, then) => {
    const header = what === "mode" ? undefined : readHeader();
    const socket = new net.Socket();
    let answer = "";
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      socket.destroy();
      then(answer);
    };
    socket.on("error", end);
    socket.on("close", end);
    socket.on("data", (piece) => {
      answer += piece;
      if (answer.includes("\r\n\r\n")) end();
    });
    socket.setTimeout(ANSWER_MS, end);
    connect(socket, [{ host: target.hostname, port: Number(target.port) }]);
    const lines = [
      `GET ${target.pathname}${addressOf(what, parameters)} HTTP/1.1`,
      `host: ${target.host}`,
      "connection: close",
      ...(header ? [`x-tapedeck-test: ${header}`] : []),
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  };
  return {
    hello: () => prover.send(addressOf("hello"), { isGreeting: true }),
    values: (header) => prover.send(addressOf("values"), { header }),
    mocked: (by) => send("mocked", { by }),
    elsewhere: (host) => send("elsewhere", { host }),
    left: (host) => send("left", { host }),
    blocked: (host, then) => ask("blocked", { host }, then),
    passed: (host, reason, then) => ask("passed", { host, reason }, then),
    /** Whether calls may leave the machine in the run's mode; false where that cannot be learned. */
    mayLeave: (then) => ask("mode", {}, (answer) => then(/"leaves":true/.test(answer))),
  };
}

module.exports = { createServerLink, TO_SERVER };
