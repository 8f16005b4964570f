// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Programs that a process starts with an environment of their own making (`env: {}`, a list of names that are allowed,
 * an emptied NODE_OPTIONS) would have no hooks, and their calls would leave a strict run. They are given what loads the
 * hooks, and nothing else: keys and addresses stay out. TAPEDECK_GUARD=off in that environment keeps it as it is.
 */
const { keepHooksInShell } = require("./shell-text.cjs");
const { attempt, wrapMethod } = require("./wrap-method.cjs");

const NAMES = ["TAPEDECK_URL", "TAPEDECK_ROOTS", "TAPEDECK_GUARD"];
const PRELOAD = /--require=(?:"(?:\\.|[^"\\])*\/tapedeck-preload\.cjs"|\S*\/tapedeck-preload\.cjs)/;
const PYTHON_FOLDER = /[\\/]hooks(?:[\\/][0-9a-f]{16})?[\\/]python$/;

/**
 * What to do with Node's modules that start programs and threads. `own`: the environment of this process at its start.
 * `running`: finds the test that starts a program, such as a server under test. `reportValues`: reports what this process made.
 */
function childrenPatches(own, { running, reportValues }) {
  const kept = hooksIn(own);
  const started = () => {
    attempt(reportValues);
    return attempt(() => startedBy(running));
  };
  return {
    child_process: (children) => keepHooksInChildren(children, kept, started),
    worker_threads: (workers) => (workers.Worker = workerWith(workers.Worker, kept)),
  };
}

function startedBy(running) {
  const file = running.current()?.file;
  return file && { TAPEDECK_STARTED_BY: file };
}

function keepHooksInChildren(children, kept, started) {
  wrapMethod(
    children.ChildProcess.prototype,
    "spawn",
    (original) =>
      function (options) {
        const { args, envPairs } = options ?? {};
        if (!Array.isArray(envPairs)) return original.call(this, options);
        const given = fromPairs(envPairs);
        const test = started();
        const isKept = Array.isArray(args) && given.TAPEDECK_GUARD !== "off";
        const both = {
          envPairs: toPairs({ ...withHooks(given, kept), ...(isKept && test) }),
          ...(isKept && { args: keepHooksInShell(args, kept) }),
        };
        return original.call(this, { ...options, ...both });
      },
  );
  for (const method of ["spawnSync", "execFileSync", "execSync"])
    wrapMethod(
      children,
      method,
      (original) =>
        function (...given) {
          const test = started();
          return withVariables(test, () =>
            original.apply(
              this,
              given.map((one) => withOwnEnv(one, kept, test)),
            ),
          );
        },
    );
}

function workerWith(Original, kept) {
  return class Worker extends Original {
    constructor(file, options) {
      super(file, withOwnEnv(options, kept));
    }
  };
}

/** Runs `start`, which passes on the environment of this process, with variables in it. */
function withVariables(variables = {}, start) {
  const before = Object.keys(variables).map((name) => [name, process.env[name]]);
  Object.assign(process.env, variables);
  try {
    return start();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

function withOwnEnv(options, kept, variables) {
  const { env } = Object(options);
  if (Array.isArray(options) || typeof env !== "object" || env === null || env === process.env)
    return options;
  return { ...options, env: { ...withHooks(env, kept), ...variables } };
}

/** What loads hooks into a process of that environment. */
function hooksIn(env) {
  const [preload = ""] = PRELOAD.exec(env.NODE_OPTIONS ?? "") ?? [];
  const folder = (env.PYTHONPATH ?? "").split(DELIMITER).find((path) => PYTHON_FOLDER.test(path));
  return {
    set: Object.fromEntries(NAMES.map((name) => [name, env[name]])),
    preload,
    folder,
    delimiter: DELIMITER,
  };
}

const DELIMITER = process.platform === "win32" ? ";" : ":";

function withHooks(env, { set, preload, folder }) {
  const options = String(env.NODE_OPTIONS ?? "");
  if (env.TAPEDECK_GUARD === "off") return env;
  const paths = String(env.PYTHONPATH ?? "")
    .split(DELIMITER)
    .filter(Boolean);
  return {
    ...env,
    ...(env.TAPEDECK_URL === undefined && set),
    ...(preload && !PRELOAD.test(options) && { NODE_OPTIONS: `${options} ${preload}`.trim() }),
    ...(folder && !paths.includes(folder) && { PYTHONPATH: [folder, ...paths].join(DELIMITER) }),
  };
}

function fromPairs(pairs) {
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=", 1)), pair.slice(pair.indexOf("=", 1) + 1)]),
  );
}

function toPairs(env) {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

module.exports = { childrenPatches };
