// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Notes the values that this process obtains from a source of chance or place: UUIDs, random bytes, temporary folders, ports. The next
 * call reports them to the server, so that a request is matched by where its values come from. Nothing else leaves the process.
 */
const path = require("node:path");
const { wrapMethod } = require("./wrap-method.cjs");

/** Values kept between two calls; the oldest are dropped. */
const MOST_VALUES = 512;
/** Longest report, in characters. The server reads headers of 32 KiB. */
const MAX_LENGTH = 8000;
/** Longer random data fills a pool, from which libraries take the bytes of many ids. */
const LONGEST_ID = 256;
const LONGEST_POOL = 7900;
/** The alphabet of nanoid, whose pool is the largest: its ids have one of these characters for the lower six bits of each byte. */
const NANOID = "useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict";
/** Results of Math.random that are kept: many small libraries make ids of them. */
const MOST_NUMBERS = 64;
/** Random characters that Node adds to the name of a temporary folder. */
const SUFFIX = 6;
/** Smaller random integers may be anything. */
const LARGE = 1e6;

/** Creates the notes of a process, which its calls report. `freeze`: the sources that repeat; `running`: names the test. */
function createValues(freeze = "", running = () => undefined) {
  const frozen = freeze === "" ? undefined : freezeSources(freeze.split(","), running);
  const notes = createNotes();
  const numbers = createNumbers();
  let isFirst = true;
  return {
    patches: { ...chancePatches(notes, frozen), ...placePatches(notes) },
    /** The report of the values since the last one, as a part of the header; "" if there are none. */
    take() {
      const items = [...numbers.take(), ...notes.take()];
      if (isFirst) items.push(`i${process.pid}`, `z${-new Date().getTimezoneOffset()}`);
      isFirst = false;
      let length = 0;
      const tooLong = items.findLastIndex((item) => (length += item.length + 1) > MAX_LENGTH);
      return items.length > tooLong + 1 ? `;v=${items.slice(tooLong + 1).join(",")}` : "";
    },
  };
}

/** Items are a letter, which `reported-values.ts` explains, and texts. */
function createNotes() {
  let fresh = [];
  const note = (letter, ...texts) => {
    if (fresh.length >= MOST_VALUES) fresh.shift();
    fresh.push(letter + texts.map(encodeURIComponent).join(":"));
  };
  return {
    note,
    bytes(filled) {
      if (!ArrayBuffer.isView(filled) || filled.byteLength > LONGEST_POOL) return;
      const bytes = Buffer.from(filled.buffer, filled.byteOffset, filled.byteLength);
      if (bytes.length <= LONGEST_ID) note("b", bytes.toString("hex"));
      else note("n", Array.from(bytes, (byte) => NANOID[byte & 63]).join(""));
    },
    take() {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
}

/** Keeps the latest results of Math.random, in this context and in those that jest makes for its test files. */
function createNumbers() {
  let numbers = [];
  let count = 0;
  const watch = (math) =>
    wrapMethod(
      math,
      "random",
      (original) =>
        function random() {
          const number = original();
          numbers[count++ % MOST_NUMBERS] = number;
          return number;
        },
    );
  watch(Math);
  const vm = require("node:vm");
  after(vm, "createContext", (context) => watch(vm.runInContext("Math", context)));
  return {
    take() {
      const first = count > MOST_NUMBERS ? count % MOST_NUMBERS : 0;
      const inOrder = [...numbers.slice(first), ...numbers.slice(0, first)];
      numbers = [];
      count = 0;
      return inOrder.map((number) => `m${number.toString(36).slice(2)}`);
    },
  };
}

function chancePatches({ note, bytes }, frozen) {
  const uuid = (made) => note("u", made);
  const later = (error, filled) => error || bytes(filled);
  const nothing = () => {};
  return {
    crypto(crypto) {
      frozen?.crypto(crypto);
      after(crypto, "randomUUID", uuid);
      after(crypto, "randomBytes", bytes, later);
      after(crypto, "randomFillSync", bytes);
      after(crypto, "randomFill", nothing, later);
      after(crypto, "randomInt", (number) => number >= LARGE && note("r", String(number)));
      const web = Object.getPrototypeOf(crypto.webcrypto);
      after(web, "randomUUID", uuid);
      after(web, "getRandomValues", bytes);
    },
  };
}

function placePatches({ note }) {
  const folder = (made) => {
    for (const text of new Set([made, path.resolve(made)]))
      note("f", text, path.basename(made).slice(0, -SUFFIX));
  };
  const later = (error, made) => error || folder(made);
  return {
    fs(fs) {
      after(fs, "mkdtempSync", folder);
      after(fs.promises, "mkdtemp", (made) => made.then(folder, () => {}));
      after(fs, "mkdtemp", () => {}, later);
    },
    net(net) {
      after(net.Server.prototype, "listen", (server) =>
        server.prependOnceListener("listening", () => {
          const address = server.address();
          if (typeof address === "object" && address) note("p", String(address.port));
        }),
      );
    },
  };
}

const NOON = "2026-01-01T12:00:00Z";
/** Reads of the frozen clock after which it advances, so that a loop that waits for a time ends; fewer after many. */
const READS_PER_MS = 1000;
const MANY_READS = 10_000;
const READS_OF_LOOP = 20;

/** Makes the clock and chance repeat: each test begins at the same moment, with a seed from its name. */
function freezeSources(sources, running) {
  const tests = createFrozenTests(running);
  const isFrozen = (source) => sources.includes(source);
  const clock = sources.find((source) => /^clock(?:=|$)/.test(source));
  const moment = clock && Date.parse(clock.slice("clock=".length) || NOON);
  const now = () => {
    const test = tests.current();
    const many = Math.max(0, (test.reads += 1) - MANY_READS);
    const ofReads = Math.floor((test.reads - many) / READS_PER_MS) + Math.floor(many / READS_OF_LOOP);
    return moment + Math.floor(test.elapsed) + ofReads;
  };
  const random = () => tests.current().random();
  const apply = (global) => {
    if (clock) freezeDate(global, now);
    if (isFrozen("random")) wrapMethod(global.Math, "random", () => random);
  };
  if (clock) followTimers(() => tests.current());
  apply(globalThis);
  const vm = require("node:vm");
  after(vm, "createContext", (context) => apply(vm.runInContext("globalThis", context)));
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
      wrapMethod(
        crypto,
        "randomFillSync",
        (original) =>
          (view, ...part) =>
            part.length > 0 || !ArrayBuffer.isView(view) ? original.call(crypto, view, ...part) : fill(view),
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
function followTimers(current) {
  const timers = require("node:timers");
  const promises = require("node:timers/promises");
  const due = (delay) => {
    const test = current();
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

/** Passes each result of a method on to `look`, and the arguments of its callback to `lookLater`. */
function after(owner, name, look, lookLater) {
  wrapMethod(
    owner,
    name,
    (original) =>
      function (...args) {
        const done = args.at(-1);
        if (lookLater && typeof done === "function")
          args[args.length - 1] = function (...given) {
            quietly(lookLater, given);
            return done.apply(this, given);
          };
        const result = original.apply(this, args);
        quietly(look, [result]);
        return result;
      },
  );
}

/** The program gets its value even if it cannot be noted. */
function quietly(look, given) {
  try {
    look(...given);
  } catch {}
}

module.exports = { createValues };
