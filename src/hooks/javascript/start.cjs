// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Runs at the start of each process, which most often calls no model. It only puts thin wrappers where calls pass, and
 * watches for the running test. The first call, connection, or report to the server loads calls.cjs, which has the rest.
 */
const { AsyncResource } = require("node:async_hooks");
const channel = require("node:diagnostics_channel");
const { createRunningTest } = require("./runners/running-test.cjs");
const { childrenPatches } = require("./children.cjs");
const { makeRoomForMocks } = require("./mocks.cjs");
const { createValues } = require("./values.cjs");
const { watchLoads } = require("./watch-loads.cjs");
const { commandOf } = require("./command.cjs");
const { addressIn, attempt, wrapMethod } = require("./wrap-method.cjs");

/** `Module`: Node's class of CommonJS modules. */
function start(env, Module) {
  attempt(() => {
    if (env.TAPEDECK_FOLDERS) require("./folders.cjs").moveToFolder(env, process.cwd(), env.TAPEDECK_FOLDERS);
  });
  if (!env.TAPEDECK_URL) return;
  keepOffProxies(env);
  const context = createContext(env);
  const { settings, calls } = context;
  context.checkLoads = watchLoads(
    Module,
    (name, loaded) => attempt(() => settings && isUsed(name) && calls()?.packages[name](loaded)),
    {
      ...callPatches(context),
      ...(settings && guardPatches(env, context)),
    },
    context.values.patches,
  );
  watchFetch(context);
  if (settings) context.mockLibrary = attempt(() => makeRoomForMocks(env, settings));
  // The first runner that knows its test wins. Tests of vitest have the state of jest's expect as well.
  for (const name of ["node-test", "vitest", "jest", "mocha", "playwright"])
    attempt(() => require(`./runners/${name}.cjs`).watch(context.running));
  // Read by decks in this process: src/deck/served-run.ts.
  if (settings) Object.defineProperty(channel, Symbol.for("tapedeck.redirected"), { value: true });
  if (settings?.tell) attempt(() => reportStart(settings.tell, context));
  if (typeof settings?.tell === "string") process.on("exit", () => attempt(context.reportValues));
}

/** Playwright matters where vitest opens pages with it; in other processes the rest of the hooks is not loaded for it. */
const isUsed = (name) => name !== "playwright" || process.env.VITEST;

/**
 * Reports the values that this process made, because another program may send them: it ends and may have printed them
 * ("uuid $(node new-id.js)"), or it starts a program, such as a coding agent, and passes them on.
 */
function reportValues({ values, settings, calls }) {
  if (!settings?.tell || !values.hasMade()) return;
  if (settings.tell === true) calls()?.reportValues();
  else require("node:fs").appendFileSync(settings.tell, `${process.pid} @values ${values.take()}\n`);
}

/** Reports that this process started: in the file of `tapedeck run`, or else to the server, which costs a connection. */
function reportStart(file, { calls, mockLibrary }) {
  const isRunner = RUNNER.test(process.argv[1] ?? "") || process.execArgv.includes("--test");
  const lines = [commandOf(), ...(mockLibrary ? [`@mocked ${mockLibrary}`] : [])];
  if (typeof file === "string")
    require("node:fs").appendFileSync(file, lines.map((line) => `${process.pid} ${line}\n`).join(""));
  else if (isRunner) calls(); // one that ends before its first test was there
}

const RUNNER = /[\\/](?:vitest|jest|mocha|playwright)(?:[\\/.]|$)/;

let hasNotedTests = false;

/** Notes in the file of `tapedeck run` that tests run here: a worker may be ended before a server answers. */
function noteTests(file, runner) {
  if (hasNotedTests || !runner) return;
  hasNotedTests = true;
  attempt(() => require("node:fs").appendFileSync(file, `${process.pid} @tests ${runner}\n`));
}

/** Creates the state that the parts of the hooks share. `calls()` loads calls.cjs when it is first needed. */
function createContext(env) {
  // Runs in the context of the process. In that of its first test, whatever is made would keep that test.
  const outside = new AsyncResource("tapedeck");
  const context = {
    target: new URL(env.TAPEDECK_URL),
    settings: attempt(() => guardIn(env)),
    running: createRunningTest((runner) => {
      context.checkLoads();
      if (typeof context.settings?.tell === "string") noteTests(context.settings.tell, runner);
      else context.calls()?.testsBegan(runner);
    }),
    connect: undefined, // the runtime's own, where net is loaded
    mockLibrary: undefined,
    reportValues: () => reportValues(context),
    calls: () => {
      made ??= attempt(() => outside.runInAsyncScope(require("./calls.cjs").createCalls, undefined, context));
      return made;
    },
  };
  let made;
  context.values = createValues(env.TAPEDECK_FREEZE, () => context.running.current());
  return context;
}

function guardIn({ TAPEDECK_GUARD: text }) {
  if (!text || text === "off") return undefined;
  const settings = JSON.parse(text);
  return settings.v === 1 ? settings : undefined;
}

/** Wrappers where requests and connections pass, in modules of Node. */
function callPatches(context) {
  const { target, settings, calls } = context;
  return {
    net(net) {
      context.connect = net.Socket.prototype.connect;
      wrapMethod(
        net.Socket.prototype,
        "connect",
        (original) =>
          function (...args) {
            const { port, path } = addressIn(args);
            if (path || (!settings && String(port) !== target.port)) return original.apply(this, args);
            const loaded = calls();
            return loaded ? loaded.connect(this, args) : original.apply(this, args);
          },
      );
    },
    http(http) {
      const { addRequest } = http.Agent.prototype;
      const watchAgents = (prototype) =>
        wrapMethod(
          prototype,
          "addRequest",
          (original) =>
            function (request, ...rest) {
              const other = calls()?.agentFor(this, request, rest[0]);
              if (other) return addRequest.call(other, request, ...rest);
              return original.call(this, request, ...rest);
            },
        );
      watchAgents(http.Agent.prototype);
      watchOtherAgents(http, watchAgents);
      wrapMethod(
        http.ClientRequest.prototype,
        "onSocket",
        (original) =>
          function (...args) {
            if (!this.agent) calls()?.markWithoutAgent(this);
            return original.apply(this, args);
          },
      );
    },
  };
}

/** Some agents do not extend Node's, such as those of https-proxy-agent 5, which axios 1.16 and later bring. */
function watchOtherAgents({ Agent, ClientRequest }, watchAgents) {
  const known = new WeakSet();
  const watch = (agent) => {
    if (!agent?.addRequest || agent instanceof Agent) return;
    let owner = agent;
    while (!Object.hasOwn(owner, "addRequest")) owner = Object.getPrototypeOf(owner);
    if (known.has(owner)) return;
    known.add(owner);
    watchAgents(owner);
  };
  Object.defineProperty(ClientRequest.prototype, "agent", {
    configurable: true,
    set(value) {
      attempt(() => watch(value));
      Object.defineProperty(this, "agent", { configurable: true, enumerable: true, writable: true, value });
    },
  });
}

function guardPatches(env, context) {
  const { calls } = context;
  return {
    ...childrenPatches(env, context),
    tls: (tls) =>
      wrapMethod(
        tls,
        "connect",
        (original) =>
          function (...args) {
            const loaded = calls();
            return loaded ? loaded.connectTls(this, args, original) : original.apply(this, args);
          },
      ),
  };
}

/** Below whatever tests put in the place of `fetch`, its channel announces requests. */
function watchFetch({ calls, settings }) {
  // The runtime's own fetch loads tls and connects at once, so the patch has to be there before. In the clear it needs none.
  channel.subscribe("undici:request:create", ({ request }) => {
    if (settings && !String(request.origin).startsWith("http:")) require("node:tls");
    calls()?.undiciRequest(request);
  });
  if (typeof globalThis.fetch !== "function") return;
  globalThis.fetch = new Proxy(globalThis.fetch, {
    apply(original, self, args) {
      calls()?.fetchCalled(args);
      return Reflect.apply(original, self, args);
    },
  });
  watchHeaders(calls);
}

/** As lazy as the runtime's own class: a process that makes no request loads nothing for it. */
function watchHeaders(calls) {
  const own = Object.getOwnPropertyDescriptor(globalThis, "Headers");
  if (!own?.configurable) return;
  const { enumerable } = own;
  const define = (value) => {
    Object.defineProperty(globalThis, "Headers", { configurable: true, enumerable, writable: true, value });
    return value;
  };
  // The runtime's own getter puts the class in its place when it is first asked for.
  const get = () => {
    const value = own.get ? own.get.call(globalThis) : own.value;
    return define(calls()?.headersClass(value) ?? value);
  };
  Object.defineProperty(globalThis, "Headers", { configurable: true, enumerable, get, set: define });
}

/**
 * A shell's start-up file may set NO_PROXY after the editor did: calls to this machine would go to the proxy, keys and
 * all. The same as src/hooks/list-variable.ts, for this process and those that it starts.
 */
function keepOffProxies(env) {
  const names = process.platform === "win32" ? ["NO_PROXY"] : ["NO_PROXY", "no_proxy"];
  const own = names.map((name) => (env[name] || "").trim());
  for (const [index, name] of names.entries()) {
    const hosts = (own[index] || own[1 - index] || "")
      .split(",")
      .map((host) => host.trim())
      .filter(Boolean);
    const isAll = hosts.length === 1 && hosts[0] === "*";
    env[name] = isAll ? "*" : [...hosts, ...LOCAL_HOSTS.filter((host) => !hosts.includes(host))].join(",");
  }
}

const LOCAL_HOSTS = ["127.0.0.1", "localhost", "::1"];

module.exports = { start };
