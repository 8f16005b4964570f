// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* Puts who and where together: the value of the header, percent-encoded JSON. */
const path = require("node:path");
const { createStackReader, real, spelled } = require("./stack.cjs");

/** Longest value; Node's limit for all headers of a request is 16 KiB. */
const MAX_BYTES = 3072;
const TEST_FILE =
  /(?:[._-](?:test|spec|tests|specs|e2e|eval)\.[cm]?[jt]sx?$)|(?:[\\/](?:__tests__|tests?|specs?|e2e)[\\/].*\.[cm]?[jt]sx?$)/i;

/** `places`: as createPlaces returns it. Undefined where nothing is known, or it would be too long even when cut. */
function headerFor(running, { frames: readFrames, isMine }) {
  const who = running.current() ?? { x: execution };
  const frames = running.attempt(readFrames) ?? [];
  const file = who.file ?? testFileIn(frames) ?? running.attempt(() => scriptFile(frames, isMine));
  if (!file) return undefined;
  const inTest = running.attempt(() => frameOfTest(frames, file));
  const innermost = running.attempt(() => frames[0]?.source());
  const { runner, name, joined, x, trial } = who;
  const line = inTest?.line ?? who.line; // else where the test begins
  return encoded({
    v: 1,
    runner,
    file,
    name,
    joined,
    x,
    trial: trial > 1 ? trial : undefined,
    line,
    exact: Boolean(inTest),
    at: innermost && innermost !== inTest ? innermost : undefined,
  });
}

const testFileIn = (frames) =>
  frames.map((frame) => frame.source().file).find((file) => TEST_FILE.test(file));

/** The outermost frame in the test's file is the test's body, an inner one may be a helper beside it. */
function frameOfTest(frames, file) {
  const isTest = (one) => spelled(one) === spelled(file);
  const asRun = frames.findLast((frame) => isTest(frame.file));
  if (asRun && isTest(asRun.source().file)) return asRun.source();
  return frames.findLast((frame) => isTest(frame.source().file))?.source();
}

function encoded(value) {
  const whole = encodeURIComponent(JSON.stringify(value));
  if (whole.length <= MAX_BYTES) return whole;
  for (const length of [120, 60, 30, 15]) {
    const short = (title) => [...title].slice(0, length).join("");
    const name = value.name?.map(short).slice(-6);
    const joined = value.joined && short(value.joined);
    const cut = encodeURIComponent(JSON.stringify({ ...value, at: undefined, name, joined, cut: true }));
    if (cut.length <= MAX_BYTES) return cut;
  }
  return undefined;
}

/** Stands for code without a file: a prompt, `node -e`, standard input. No file is called so. */
const NO_FILE = "<node>";

/** Each process is one execution of its script. */
const execution = `${process.pid}.${Date.now().toString(36)}`;

let main;

/**
 * What makes a call that no test makes: the test that started this process, else the script that it runs, else what of the
 * workspace led to the call; undefined where nothing of it takes part. A script may be a build that is not committed.
 */
function scriptFile(frames, isMine) {
  const { TAPEDECK_STARTED_BY: test } = process.env;
  if (test) return test;
  main ??= mainFile();
  if (main !== undefined && isMine(main)) return main;
  return frames.at(-1)?.source().file ?? (main === undefined ? path.resolve(NO_FILE) : undefined);
}

/** Loaders put the script that they run in the place of their own; a name without its ending is known by its module. */
function mainFile() {
  const [, file] = process.argv;
  const isFile = file !== undefined && file !== "-";
  return process.mainModule?.filename ?? (isFile ? real(file) : undefined);
}

/** A client makes several objects on its way, the first of them in its caller's turn. */
const KEPT = 24;

/**
 * Gives the workspace's frames that led to a call. Some clients cut the trace by steps of their own before they call
 * fetch, as Anthropic's do from 1.0 on. All of them create a Headers object in the turn in which they are called: the
 * trace of each such turn is kept for the requests that follow in the same test, named by `testNow`.
 */
function createPlaces(roots, testNow) {
  const stack = createStackReader(roots);
  let latest = { test: undefined, traces: [] };
  let isNoted = false; // in this turn
  const forgetTurn = () => (isNoted = false);
  const resolved = Promise.resolve(); // costs less than queueMicrotask, which creates an AsyncResource
  const remember = () => {
    if (isNoted) return;
    isNoted = true;
    void resolved.then(forgetTurn);
    const test = testNow();
    const kept = latest.test === test ? latest.traces.slice(0, KEPT - 1) : [];
    latest = { test, traces: [stack.trace(), ...kept] };
  };
  const framesOfTurns = () => {
    if (latest.test !== testNow()) return [];
    for (const trace of latest.traces) {
      const frames = stack.framesOf(trace);
      if (frames.length > 0) return frames;
    }
    return [];
  };
  return {
    isMine: stack.isMine,
    frames() {
      const own = stack.framesOf(stack.trace());
      return own.length > 0 ? own : framesOfTurns();
    },
    /** The runtime's class behind a proxy that only keeps the trace. */
    headersClass(Native) {
      const proxy = new Proxy(Native, {
        construct(target, given, made) {
          try {
            remember();
          } catch {
            // The call goes on without its place.
          }
          return Reflect.construct(target, given, made === proxy ? target : made);
        },
      });
      return proxy;
    },
  };
}

module.exports = { createPlaces, headerFor };
