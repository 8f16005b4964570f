// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* Gives each test the same clock and chance in every run, on request. */
const { passResults, wrapMethod } = require("./wrap-method.cjs");

const NOON = "2026-01-01T12:00:00Z";
/** Reads of the frozen clock for which it advances by a millisecond, so that a loop that waits for a time ends. */
const READS_PER_MS = 1000;
/** After this many reads in a test, a loop probably waits, and the clock advances faster. */
const MANY_READS = 10_000;
const READS_PER_MS_OF_LOOP = 20;

/** Makes the clock and chance repeat: each test begins at the same moment, with a seed from its name. */
function freezeSources(sources, running) {
  const tests = createFrozenTests(running);
  const isFrozen = (source) => sources.includes(source);
  const clock = sources.find((source) => /^clock(?:=|$)/.test(source));
  const moment = clock && Date.parse(clock.slice("clock=".length) || NOON);
  const now = () => {
    const test = tests.current();
    test.reads += 1;
    const ofLoop = Math.max(0, test.reads - MANY_READS);
    const slow = Math.floor((test.reads - ofLoop) / READS_PER_MS);
    return moment + Math.floor(test.elapsed) + slow + Math.floor(ofLoop / READS_PER_MS_OF_LOOP);
  };
  const random = () => tests.current().random();
  const apply = (global) => {
    if (clock) freezeClock(global, now);
    if (isFrozen("random")) wrapMethod(global.Math, "random", () => random);
  };
  if (clock) followTimers(tests);
  apply(globalThis);
  const vm = require("node:vm");
  passResults(vm, "createContext", (context) => apply(vm.runInContext("globalThis", context)));
  return createFrozenCrypto(tests, isFrozen);
}

/** Has crypto draw from the generators of the running test. */
function createFrozenCrypto(tests, isFrozen) {
  const random = () => tests.current().random();
  const fill = (view, draw = random) => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(draw() * 256);
    return view;
  };
  const uuid = () => uuidOf(fill(Buffer.alloc(16), tests.current().uuid));
  return {
    crypto(crypto) {
      const web = Object.getPrototypeOf(crypto.webcrypto);
      if (isFrozen("uuid")) for (const owner of [crypto, web]) wrapMethod(owner, "randomUUID", () => uuid);
      if (!isFrozen("random")) return;
      const later = (done, result) => {
        if (typeof done !== "function") return result;
        process.nextTick(done, null, result);
        return undefined;
      };
      wrapMethod(crypto, "randomBytes", () => (size, done) => later(done, fill(Buffer.alloc(size))));
      // A part of a view, or a buffer without a view, gets other bytes in every run.
      wrapMethod(
        crypto,
        "randomFillSync",
        (original) =>
          (view, ...part) =>
            part.length > 0 || !ArrayBuffer.isView(view) ? original.call(crypto, view, ...part) : fill(view),
      );
      wrapMethod(
        crypto,
        "randomFill",
        (original) =>
          (view, ...rest) =>
            rest.length > 1 || !ArrayBuffer.isView(view)
              ? original.call(crypto, view, ...rest)
              : later(rest[0], fill(view)),
      );
      wrapMethod(crypto, "randomInt", () => (min, max, done) => {
        if (typeof max !== "number") return later(max, Math.floor(random() * min));
        return later(done, min + Math.floor(random() * (max - min)));
      });
      wrapMethod(web, "getRandomValues", () => fill);
    },
  };
}

/** Has the frozen clock of a test advance by the delay of each timer that fires, so that what a test waits for takes time. */
function followTimers(tests) {
  const timers = require("node:timers");
  const promises = require("node:timers/promises");
  const due = (delay) => {
    const test = tests.current();
    const each = Number(delay) > 0 ? Number(delay) : 0;
    let next = test.elapsed;
    return () => (test.elapsed = Math.max(test.elapsed, (next += each)));
  };
  wrapMethod(promises, "setTimeout", (original) => async (delay, ...rest) => {
    const advance = due(delay);
    const value = await original(delay, ...rest);
    advance();
    return value;
  });
  for (const name of ["setTimeout", "setInterval"]) {
    wrapMethod(timers, name, (original) => (callback, delay, ...rest) => {
      const advance = due(delay);
      if (typeof callback !== "function") return original(callback, delay, ...rest);
      const run = function (...given) {
        advance();
        return callback.apply(this, given);
      };
      return original(run, delay, ...rest);
    });
    globalThis[name] = timers[name];
  }
  timers.setTimeout[require("node:util").promisify.custom] = promises.setTimeout;
}

/** Running tests whose clocks and generators are kept; others begin anew. */
const MOST_TESTS = 64;

/** Keeps the clocks and generators of running tests. A test that is repeated gets new ones. */
function createFrozenTests(running) {
  const known = new Map();
  return {
    current() {
      const { file = "", name = [], joined = "", x = "" } = running() ?? {};
      const title = [file.split(/[\\/]/).at(-1), ...name, joined].join("\n");
      const id = `${x}\n${title}`;
      if (!known.has(id)) {
        if (known.size >= MOST_TESTS) known.delete(known.keys().next().value);
        known.set(id, {
          reads: 0,
          elapsed: 0, // by timers, in milliseconds
          random: createGenerator(title),
          uuid: createGenerator(`uuid ${title}`),
        });
      }
      return known.get(id);
    },
  };
}

/** Returns numbers from 0 to 1 that follow from a text: FNV-1a seeds a linear congruential generator with mixed output. */
function createGenerator(text) {
  let state = 0x811c9dc5;
  for (const char of text) state = Math.imul(state ^ char.codePointAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Source: RFC 9562, section 5.4. */
function uuidOf(bytes) {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function freezeClock(global, now) {
  freezeDate(global, now);
  freezeFormatters(global.Intl.DateTimeFormat.prototype, now);
  if (global.Temporal !== undefined) freezeTemporal(global.Temporal, now);
}

/** Has formatters use the frozen clock where they are given no date. */
function freezeFormatters(formatters, now) {
  const withNow = (date) => (date === undefined ? now() : date);
  const format = Object.getOwnPropertyDescriptor(formatters, "format");
  Object.defineProperty(formatters, "format", {
    ...format,
    get() {
      const original = format.get.call(this);
      return (date) => original(withNow(date));
    },
  });
  wrapMethod(
    formatters,
    "formatToParts",
    (original) =>
      function (date) {
        return original.call(this, withNow(date));
      },
  );
}

function freezeTemporal({ Instant, Now }, now) {
  const instant = () => Instant.fromEpochMilliseconds(now());
  const zoned = (zone = Now.timeZoneId()) => instant().toZonedDateTimeISO(zone);
  Object.assign(Now, {
    instant,
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (zone) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone) => zoned(zone).toPlainTime(),
  });
}

/** Fake timers put their own class in the place of this one, and it comes back after them. */
function freezeDate(global, now) {
  const { Date: Real } = global;
  const Frozen = new Proxy(Real, {
    apply: () => new Frozen().toString(),
    construct: (target, args, made) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, made === Frozen ? target : made),
  });
  Real.now = now;
  Real.prototype.constructor = Frozen;
  global.Date = Frozen;
}

module.exports = { freezeSources };
