// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Modules of Node take milliseconds to load, and most processes use few of them. They are patched once the program loads
 * them. A `require` is seen when it returns. For an `import` there are signs that a module is loading: it makes its
 * diagnostics channel, or reads a class of another module. The patch is then made before the importing module runs.
 */
const channel = require("node:diagnostics_channel");
const { wrapMethod } = require("./wrap-method.cjs");

/** Modules that are patched, and others that load them. */
const BUILTIN =
  /^(?:node:)?(?:child_process|cluster|crypto|fs(?:\/promises)?|http|http2|https|net|tls|worker_threads)$/;
/** Modules by the channel that they make while they load. Source: Node 20 to 26. */
const CHANNELS = {
  "net.client.socket": "net",
  "http.client.request.start": "http",
  child_process: "child_process",
  worker_threads: "worker_threads",
};
/** The module of Node that has the functions of another one, and may be loaded without it. */
const HOLDERS = { "fs/promises": "internal/fs/promises" };
/** Older ones lack some of these channels, so that everything is loaded at once. */
const FIRST_WITH_CHANNELS = 20;

/** Packages, by their names or by their files. */
const PACKAGES = {
  grpc: /(?:^|[\\/])@grpc[\\/]grpc-js(?:[\\/]build[\\/]src[\\/]index\.js)?$/,
  playwright: /(?:^|[\\/])playwright-core(?:[\\/]index\.js)?$/,
};

/**
 * `onPackage`: gets a package of `PACKAGES` with its name there. `lists`: what to do with a module of Node once it is loaded,
 * by its name. Gives a function that looks at once.
 */
function watchLoads(Module, onPackage, ...lists) {
  const pending = joinLists(lists);
  const apply = (names) => {
    let isPatched = false;
    for (const name of names) {
      const waiting = pending.get(name);
      if (!pending.delete(name)) continue;
      isPatched = true;
      const loaded = require(name);
      for (const patch of waiting) patch(loaded);
      // TLS extends the class of sockets.
      if (name === "net") watchReads(loaded, "Socket", () => pending.has("tls") && queueMicrotask(check));
    }
    if (isPatched) Module.syncBuiltinESMExports();
  };
  const check = () => apply([...pending.keys()].filter(isLoaded));
  wrapMethod(
    Module,
    "_load",
    (original) =>
      function (request, ...rest) {
        const loaded = original.call(this, request, ...rest);
        if (pending.size > 0 && BUILTIN.test(request)) check();
        for (const name in PACKAGES) if (PACKAGES[name].test(request)) onPackage(name, loaded);
        return loaded;
      },
  );
  watchGetBuiltin(check);
  wrapMethod(
    channel,
    "channel",
    (original) =>
      function (name) {
        const made = CHANNELS[name];
        if (pending.has(made)) queueMicrotask(() => apply([made]));
        return original.call(this, name);
      },
  );
  // Announces each connection before it is opened.
  channel.subscribe("net.client.socket", check);
  // crypto and the promises of fs read this class while they load.
  watchReads(
    require("node:string_decoder"),
    "StringDecoder",
    () => pending.size > 0 && queueMicrotask(check),
  );
  watchGetter(globalThis, "crypto", () => apply(["crypto"]));
  watchGetter(require("node:fs"), "promises", () => apply(["fs/promises"]));
  if (Number.parseInt(process.versions.node, 10) < FIRST_WITH_CHANNELS) apply([...pending.keys()]);
  else check();
  return check;
}

function isLoaded(name) {
  return process.moduleLoadList?.includes(`NativeModule ${HOLDERS[name] ?? name}`) !== false;
}

function watchGetBuiltin(check) {
  if (process.getBuiltinModule)
    wrapMethod(
      process,
      "getBuiltinModule",
      (original) =>
        function (name) {
          const loaded = original.call(this, name);
          check();
          return loaded;
        },
    );
}

/** Returns the patches of each module. */
function joinLists(lists) {
  const patches = new Map();
  for (const [name, patch] of lists.flatMap(Object.entries))
    patches.set(name, [...(patches.get(name) ?? []), patch]);
  return patches;
}

/** Calls `onRead` before the first read of an object that the runtime creates then. */
function watchGetter(owner, name, onRead) {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  if (!own?.configurable || !own.get) return;
  Object.defineProperty(owner, name, {
    ...own,
    get() {
      Object.defineProperty(owner, name, own);
      onRead();
      return own.get.call(owner);
    },
  });
}

/** Reports each read of a class that another module uses while it loads. */
function watchReads(module, name, onRead) {
  let value = module[name];
  Object.defineProperty(module, name, {
    configurable: true,
    enumerable: true,
    get() {
      onRead();
      return value;
    },
    set(next) {
      value = next;
    },
  });
}

module.exports = { watchLoads };
