// npm run bench: figures as ratios within one run, on whatever machine this is.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openDeck } from "../dist/index.js";
import { chatReply, chatRequest, chatStream } from "./calls.mjs";
import { hookCosts } from "./hooks.mjs";
import { load, post } from "./load.mjs";

/** A process alone, by where its code and data came to lie, is up to a tenth faster or slower than the next one. */
const PROCESSES = 3;
const ROUNDS = 10;
const WARM_UP_SECONDS = 5;
const home = mkdtempSync(join(tmpdir(), "tapedeck-bench-"));
/** @type {(readonly (string | number | undefined)[])[]} */
const rows = [];

try {
  const small = await recordFolder("small", 10);
  const large = await recordFolder("large", 10_000);
  const streams = await recordFolder("streams", 10, true);
  await replayRates({ small, large, streams });
  await opening(large);
  await recordLatency();
  rows.push(...(await hookCosts()));
  bundles();
} finally {
  for (const [what, figure, bound] of rows)
    console.log(`${what.padEnd(74)} ${String(figure).padStart(16)}   ${bound ?? ""}`);
  rmSync(home, { recursive: true, force: true });
}

/** Records `count` calls through an upstream of our own into a folder; gives the folder. */
async function recordFolder(name, count, stream = false) {
  const dir = join(home, name);
  const reply = async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const index = Number(/order (\d+)/.exec(body)[1]);
    response.writeHead(200, {
      "content-type": stream ? "text/event-stream; charset=utf-8" : "application/json",
    });
    response.end(stream ? chatStream(index) : chatReply(index));
  };
  const upstream = createServer((request, response) => void reply(request, response));
  await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const deck = openDeck({ dir, upstreams: { openai: `http://127.0.0.1:${upstream.address().port}` } });
  const run = deck.createRun("record");
  const record = async (index) => {
    const headers = [["content-type", "application/json"]];
    const body = Buffer.from(chatRequest(index, stream));
    const call = { provider: "openai", method: "POST", path: "/v1/chat/completions", headers, body, run };
    const answer = await deck.engine.answer({ ...call, signal: new AbortController().signal });
    for await (const _ of answer.reply.body);
  };
  const begun = performance.now();
  for (let index = 0; index < count; index += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, count - index) }, (_, offset) => record(index + offset)),
    );
  }
  if (count > 1000)
    rows.push(["recording, calls per second (20 at once, each on disk before its end)", rate(count, begun)]);
  await deck.close();
  upstream.close();
  return dir;
}

async function replayRates({ small, large, streams }) {
  const calls = (count, stream) => Array.from({ length: count }, (_, index) => chatRequest(index, stream));
  const [ten, many, stream] = [calls(10), calls(10_000), calls(10, true)];
  const rounds = [];
  for (let nth = 0; nth < PROCESSES; nth += 1) {
    const servers = {
      ten: await start("tapedeck", small, ten),
      bareTen: await start("bare", small, ten),
      many: await start("tapedeck", large, many),
      bareMany: await start("bare", large, many),
      stream: await start("tapedeck", streams, stream, true),
      bareStream: await start("bare", streams, stream, true),
    };
    rounds.push(...(await inTurn(servers)));
    for (const { child } of Object.values(servers)) child.kill();
  }
  const rates = {
    of: (name) => Math.round(median(rounds.map((round) => round[name]))),
    ratio: (one, other) => median(rounds.map((round) => round[one] / round[other])),
  };
  const row = (name, ours, bare) => {
    rows.push([`replay, ${name}: times bare node:http`, rates.ratio(ours, bare).toFixed(2), "at least 0.55"]);
    rows.push([`  replies per second, ours and bare`, `${rates.of(ours)} / ${rates.of(bare)}`]);
  };
  row("JSON, 10 recordings", "ten", "bareTen");
  row("JSON, 10,000 recordings", "many", "bareMany");
  row("stream of 200 events, 10 recordings", "stream", "bareStream");
  // Both servers have 10,000 bodies to fetch from memory; what that costs bare node:http is none of ours.
  const alike = rates.ratio("many", "bareMany") / rates.ratio("ten", "bareTen");
  rows.push(["10,000 recordings against 10, each times bare", alike.toFixed(2), "within 0.85 and 1.15"]);
  const plain = [rates.ratio("many", "ten"), rates.ratio("bareMany", "bareTen")];
  rows.push(["  the rates alone, ours and bare", plain.map((ratio) => ratio.toFixed(2)).join(" / ")]);
}

/** Servers loaded in turn, so that whatever else the machine does hits all; their rates in each round. */
async function inTurn(servers) {
  // Until the compiler has settled and every recording has been read and looked at again.
  for (const server of Object.values(servers)) await warmUp(server);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const rates = {};
    for (const [name, server] of Object.entries(servers))
      rates[name] = (await load({ ...server, seconds: 0.4 })).perSecond;
    rounds.push(rates);
  }
  return rounds;
}

async function warmUp(server) {
  for (let spent = 0; spent < WARM_UP_SECONDS || server.from.next < 12 * server.requests.length; spent += 1)
    await load({ ...server, seconds: 1 });
}

async function start(kind, dir, bodies, stream) {
  const child = fork(join(import.meta.dirname, "server.mjs"), [
    kind,
    dir,
    bodies.length,
    stream ? "stream" : "json",
  ]);
  const { port, path } = await new Promise((resolve) => child.once("message", resolve));
  return { child, port, from: { next: 0 }, requests: bodies.map((body) => post(path, body, port)) };
}

async function opening(dir) {
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const begun = performance.now();
    const deck = openDeck({ dir });
    const list = await deck.store.list();
    times.push(performance.now() - begun);
    if (list.length !== 10_000) throw new Error(`${list.length} recordings listed`);
    await deck.close();
  }
  rows.push([
    "opening a folder of 10,000 recordings, ms (first / median)",
    `${times[0].toFixed(0)} / ${median(times).toFixed(0)}`,
    "under 300",
  ]);
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
    "explaining a miss among 10,000 recordings, ms (first / median of later)",
    `${first.toFixed(0)} / ${median(later).toFixed(0)}`,
  ]);
  await deck.close();
}

/** What record mode adds to the first byte of a stream, as the difference of medians. */
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
  for (const file of ["extension.cjs", "deck.cjs", "cli.js", "index.js"]) {
    const path = join(import.meta.dirname, "..", "dist", file);
    const sizes = `${(statSync(path).size / 1024).toFixed(0)} / ${(gzipSync(readFileSync(path)).length / 1024).toFixed(0)}`;
    rows.push([
      `dist/${file}, KB (plain / gzipped)`,
      sizes,
      file === "extension.cjs" ? "under 300" : undefined,
    ]);
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function rate(count, begun) {
  return Math.round(count / ((performance.now() - begun) / 1000));
}
