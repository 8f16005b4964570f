import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFileReader, type ReaderLimits } from "../../src/importing/file-reader.ts";
import { aProject } from "../cli/tapedeck.ts";

/** Reads every file as what it is called; one called "endless" keeps it busy, one called "memory" takes all there is. */
const PROGRAM = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ path }) => {
  while (path.endsWith("endless"));
  const all = [];
  while (path.endsWith("memory")) all.push(Array.from({ length: 100000 }, () => ({})));
  parentPort.postMessage({ unreadable: "was read: " + path });
});`;

function aReader(limits: ReaderLimits, source = PROGRAM) {
  const program = join(aProject(), "reader.cjs");
  writeFileSync(program, source);
  const reader = createFileReader(program, limits);
  onTestFinished(() => reader.close());
  return reader;
}

test("a file that keeps its reader busy is given up, and the next one is read", async () => {
  const reader = aReader({ timeMs: () => 1_500, memoryMib: 1_024 });

  const read = [];
  for (const path of ["/a", "/endless", "/b"]) read.push(await reader.read(path, undefined));

  expect(read).toEqual([
    { unreadable: "was read: /a" },
    { unreadable: expect.stringContaining("was not read within 2 s"), isLimited: true },
    { unreadable: "was read: /b" },
  ]);
});

test("a file that takes more memory than a reader has is given up, and the next one is read", async () => {
  const reader = aReader({ timeMs: () => 60_000, memoryMib: 48 });

  const read = [];
  for (const path of ["/memory", "/b"]) read.push(await reader.read(path, undefined));

  expect(read).toEqual([
    { unreadable: expect.stringContaining("memory"), isLimited: true },
    { unreadable: "was read: /b" },
  ]);
});

/** Sends one call of each file, and then keeps busy where the file is called "endless". */
const SENDS_CALLS = `
const { parentPort } = require("node:worker_threads");
let path = "";
let sent = 0;
parentPort.on("message", (request) => {
  if (request !== "more") {
    ({ path } = request);
    sent = 0;
    return parentPort.postMessage({ format: "har", changedAt: 0 });
  }
  sent += 1;
  while (path.endsWith("endless") && sent === 2);
  parentPort.postMessage({ found: [{ place: "entry " + sent, skipped: "is a test" }], isLast: sent === 2 });
});`;

test("calls are read as they are asked for, and those before a file is given up are kept", async () => {
  const reader = aReader({ timeMs: () => 1_500, memoryMib: 1_024 }, SENDS_CALLS);
  const places: string[] = [];
  const readAll = async (path: string): Promise<void> => {
    const read = await reader.read(path, undefined);
    if (!("found" in read)) throw new Error("it cannot be read");
    for await (const { place } of read.found) places.push(place);
  };

  await readAll("/a");
  await expect(readAll("/endless")).rejects.toThrow("was not read within 2 s");
  await readAll("/b");

  expect(places).toEqual(["entry 1", "entry 2", "entry 1", "entry 1", "entry 2"]);
});
