// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* Puts who and where together: the value of the header, percent-encoded JSON. */
const path = require("node:path");
const { real, spelled } = require("./stack.cjs");

/** Longest value; Node's limit for all headers of a request is 16 KiB. */
const MAX_BYTES = 3072;
const TEST_FILE =
  /(?:[._-](?:test|spec|tests|specs|e2e|eval)\.[cm]?[jt]sx?$)|(?:[\\/](?:__tests__|tests?|specs?|e2e)[\\/].*\.[cm]?[jt]sx?$)/i;

/** Undefined where nothing is known, or it would be too long even when cut. */
function headerFor(running, { frames: readFrames, isMine }) {
  const who = running.current() ?? { x: execution };
  const frames = running.attempt(readFrames) ?? [];
  const file =
    who.file ??
    frames.find((frame) => TEST_FILE.test(frame.file))?.file ??
    running.attempt(() => scriptFile(frames, isMine));
  // The outermost frame in the test's file is the test's body, an inner one may be a helper beside it.
  const inTest = file && frames.findLast((frame) => spelled(frame.file) === spelled(file));
  const [innermost] = frames;
  if (!file) return undefined;
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
 * What makes a call that no test makes: the script that this process runs, else what of the workspace led to it;
 * undefined where nothing of it takes part.
 */
function scriptFile(frames, isMine) {
  main ??= mainFile();
  if (main !== undefined && isMine(main)) return main;
  return frames.at(-1)?.file ?? (main === undefined ? path.resolve(NO_FILE) : undefined);
}

/** Loaders put the script that they run in the place of their own; a name without its ending is known by its module. */
function mainFile() {
  const [, file] = process.argv;
  const isFile = file !== undefined && file !== "-";
  return process.mainModule?.filename ?? (isFile ? real(file) : undefined);
}

module.exports = { headerFor };
