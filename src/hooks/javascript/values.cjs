// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Notes the values that this process obtains from a source of chance or place: UUIDs, random bytes, temporary folders, ports. The next
 * call reports them to the server, so that a request is matched by where its values come from. Nothing else leaves the process.
 */
const path = require("node:path");
const { passResults, wrapMethod } = require("./wrap-method.cjs");

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
  const frozen =
    freeze === "" ? undefined : require("./freeze.cjs").freezeSources(freeze.split(","), running);
  const notes = createNotes();
  const numbers = createNumbers();
  let isFirst = true;
  return {
    patches: { ...chancePatches(notes, frozen), ...placePatches(notes) },
    /** Whether there is a value of chance or place since the last report, other than numbers, which many programs draw. */
    hasMade: () => notes.hasFresh(),
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
    hasFresh: () => fresh.length > 0,
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
  passResults(vm, "createContext", (context) => watch(vm.runInContext("Math", context)));
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
      passResults(crypto, "randomUUID", uuid);
      passResults(crypto, "randomBytes", bytes, later);
      passResults(crypto, "randomFillSync", bytes);
      passResults(crypto, "randomFill", nothing, later);
      passResults(crypto, "randomInt", (number) => number >= LARGE && note("r", String(number)));
      const web = Object.getPrototypeOf(crypto.webcrypto);
      passResults(web, "randomUUID", uuid);
      passResults(web, "getRandomValues", bytes);
    },
  };
}

function placePatches({ note }) {
  const folder = (made) => {
    // Programs may resolve links, such as that of macOS to its temporary folder.
    for (const text of new Set([made, path.resolve(made), require("node:fs").realpathSync(made)]))
      note("f", text, path.basename(made).slice(0, -SUFFIX));
  };
  const later = (error, made) => error || folder(made);
  return {
    fs(fs) {
      passResults(fs, "mkdtempSync", folder);
      passResults(fs, "mkdtemp", () => {}, later);
    },
    "fs/promises": (promises) => passResults(promises, "mkdtemp", (made) => made.then(folder, () => {})),
    net(net) {
      passResults(net.Server.prototype, "listen", (server) =>
        server.prependOnceListener("listening", () => {
          const address = server.address();
          if (typeof address === "object" && address) note("p", String(address.port));
        }),
      );
    },
  };
}

module.exports = { createValues };
