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

function aReader(limits: ReaderLimits) {
  const program = join(aProject(), "reader.cjs");
  writeFileSync(program, PROGRAM);
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
