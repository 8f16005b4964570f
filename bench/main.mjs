// npm run bench [-- --only WORDS] [-- --most N]: prints figures as ratios within one run, so that machines compare.
// --only selects parts whose names contain the words, --most leaves out folders with more recordings.
// On ext4, creating a file takes up to twenty times as long for some minutes after a run deleted its many files.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { openDeck } from "../dist/index.js";

import { chatRequest } from "./calls.mjs";
import { checkRows } from "./check.mjs";
import { hookCosts } from "./hooks.mjs";
import { median } from "./median.mjs";
import { writeMany } from "./many-recordings.mjs";
import { nearestRows } from "./nearest.mjs";
import { pythonRows } from "./python.mjs";
import { recordFolder } from "./record-folder.mjs";
import { recordingLargeRows } from "./recording-large.mjs";
import { remoteRows } from "./remote.mjs";
import { suiteRows } from "./suites/main.mjs";
import { clientRates, firstTimeRates, replayRates } from "./replay.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    most: { type: "string", default: "100000" },
  },
});
/** Number of calls that are recorded in a folder and replayed; further files are written directly. */
const RECORDED = 10_000;
const home = mkdtempSync(join(tmpdir(), "tapedeck-bench-"));
/** @type {(readonly (string | number | undefined)[])[]} */
const rows = [];
const folders = [
  { name: "10 recordings", count: 10 },
  { name: "1,000 recordings", count: 1_000 },
  { name: "10,000 recordings", count: 10_000 },
  { name: "100,000 recordings", count: 100_000 },
  { name: "10 streams of 200 events", count: 10, stream: true },
]
  .filter(({ count }) => count <= Number(values.most))
  .map((folder, index) => ({ ...folder, dir: join(home, `folder-${index}`) }));
const large = folders.filter(({ count }) => count >= 10_000);

const parts = {
  replay: async () => rows.push(...(await replayRates(folders))),
  "replay, first time": () =>
    inTurn(large.slice(0, 1), async (folder) => rows.push(...(await firstTimeRates(folder)))),
  "replay, by clients": () =>
    inTurn(
      folders.filter(({ count, stream }) => !stream && (count === 10 || count === 10_000)),
      async (folder) => rows.push(...(await clientRates(folder))),
    ),
  opening: () => inTurn(large, opening),
  misses: () => inTurn(large.slice(0, 1), explaining),
  nearest: async () => rows.push(...(await nearestRows(home, Number(values.most)))),
  checking: () => rows.push(...checkRows(home, Math.min(RECORDED, Number(values.most)))),
  recording: recordLatency,
  remote: () => inTurn(large.slice(0, 1), async (folder) => rows.push(...(await remoteRows(folder, home)))),
  "recording large calls": async () => rows.push(...(await recordingLargeRows(home))),
  hooks: async () => rows.push(...(await hookCosts())),
  suites: async () => rows.push(...(await suiteRows())),
  python: async () => rows.push(...(await pythonRows())),
  bundles,
};

try {
  for (const { name, dir, count, stream } of folders) {
    const perSecond = await recordFolder(dir, Math.min(count, RECORDED), stream);
    writeMany(dir, Math.max(0, count - RECORDED));
    if (count === RECORDED)
      rows.push([`recording ${name}, calls per second (20 at once, each on disk before its end)`, perSecond]);
  }
  for (const [name, part] of Object.entries(parts)) if (name.includes(values.only)) await part();
} finally {
  for (const [what, figure, bound] of rows)
    console.log(`${what.padEnd(78)} ${String(figure).padStart(22)}   ${bound ?? ""}`);
  rmSync(home, { recursive: true, force: true });
}

async function inTurn(list, look) {
  for (const one of list) await look(one);
}

async function opening({ name, dir, count }) {
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const begun = performance.now();
    const deck = openDeck({ dir });
    const list = await deck.store.list();
    times.push(performance.now() - begun);
    if (list.length !== count) throw new Error(`${list.length} recordings listed`);
    await deck.close();
  }
  rows.push([
    `opening a folder of ${name}, ms (first / median)`,
    `${times[0].toFixed(0)} / ${median(times).toFixed(0)}`,
    count > 10_000 ? "under 1000" : "under 300",
  ]);
}

async function explaining({ name, dir }) {
  const deck = openDeck({ dir });
  const missed = {
    provider: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    headers: [["content-type", "application/json"]],
  };
  const miss = async (index) => {
    const begun = performance.now();
    const body = Buffer.from(chatRequest(index).replace("0.2", "0.7"));
    await deck.engine.answer({
      ...missed,
      body,
      run: deck.createRun("strict"),
      signal: new AbortController().signal,
    });
    return performance.now() - begun;
  };
  const first = await miss(1);
  const later = [];
  for (let index = 2; index < 12; index += 1) later.push(await miss(index));
  rows.push([
    `explaining a miss among ${name}, ms (first / median of later)`,
    `${first.toFixed(0)} / ${median(later).toFixed(0)}`,
    "later: under 50",
  ]);
  await deck.close();
}

/** Measures what record mode adds to the first byte of a stream, as the difference of medians. */
async function recordLatency() {
  const upstream = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
      setTimeout(() => response.end("data: [DONE]\n\n"), 60);
    });
  });
  await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${upstream.address().port}`;
  const deck = openDeck({ dir: join(home, "latency"), upstreams: { openai: origin } });
  const server = await deck.listen();
  const { url } = server.admit(deck.createRun("record"));
  const firstByte = async (address, index) => {
    const begun = performance.now();
    const reply = await fetch(`${address}/v1/chat/completions`, {
      method: "POST",
      body: chatRequest(index, true),
      headers: { "content-type": "application/json" },
    });
    const reader = reply.body.getReader();
    await reader.read();
    const took = performance.now() - begun;
    while (!(await reader.read()).done);
    return took;
  };
  const [direct, through] = [[], []];
  for (let index = 0; index < 15; index += 1) {
    direct.push(await firstByte(origin, index));
    through.push(await firstByte(`${url}/openai`, index));
  }
  rows.push([
    "first byte of a recorded stream, ms more than without us",
    (median(through) - median(direct)).toFixed(1),
  ]);
  await deck.close();
  upstream.close();
  upstream.closeAllConnections();
}

function bundles() {
  const programs = [
    ["a window", "extension.cjs"],
    ["a session that is used, with the window", "deck.cjs"],
    ["the command line", "cli.js"],
    ["the library", "index.js"],
  ];
  for (const [what, file] of programs) {
    const texts = loadedWith(join(import.meta.dirname, "..", "dist", file)).map((path) => readFileSync(path));
    const kilobytes = (/** @type {readonly Buffer[]} */ all) =>
      (all.reduce((sum, { length }) => sum + length, 0) / 1024).toFixed(0);
    rows.push([
      `loaded by ${what}, KB (plain / gzipped)`,
      `${kilobytes(texts)} / ${kilobytes(texts.map((text) => gzipSync(text)))}`,
      file === "extension.cjs" ? "under 300" : undefined,
    ]);
  }
}

/** A file of dist/ and all that is loaded with it. @param {string} file */
function loadedWith(file) {
  const files = new Set([file]);
  for (const one of files) {
    const text = readFileSync(one, "utf8");
    // Imports behind an arrow are loaded later.
    const names = text.matchAll(/(?:(?<!=>)require\(|from |^import )["`](\.[^"`]+)["`]/gm);
    for (const [, name = ""] of names) files.add(join(dirname(one), name));
  }
  return [...files];
}
