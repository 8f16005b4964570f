// Compares the speed of replays with bare node:http that sends the same bodies, and with aimock and as many fixtures.
import { fork } from "node:child_process";
import { join } from "node:path";
import { chatRequest } from "./calls.mjs";
import { load, loadByFetch, post } from "./load.mjs";
import { median } from "./median.mjs";

/** Processes per measurement: a single one can be a tenth faster or slower, depending on its memory layout. */
const PROCESSES = 5;
const ROUNDS = 5;
/** Rounds of aimock, which is many times slower and needs fewer. */
const AIMOCK_ROUNDS = 4;
const SECONDS = 0.4;
/** Each call once more before a measurement, because other processes have replaced the processor's caches. */
const AGAIN_SECONDS = 0.3;
const WARM_UP_SECONDS = 3;
/** Number of different calls that are repeated. */
const REPEATED = 10_000;

/** @typedef {{ name: string, dir: string, count: number, stream?: boolean }} Folder */

/** Returns the rows about all folders. The first folder is the baseline. @param {readonly Folder[]} folders */
export async function replayRates(folders) {
  const rounds = [];
  for (let nth = 0; nth < PROCESSES; nth += 1) {
    const servers = await startAll(folders);
    rounds.push(...(await inTurn(servers)));
    for (const { child } of servers) child.kill();
  }
  const ratio = (one, other) =>
    median(
      rounds
        .filter((round) => one in round && other in round)
        .map((round) => round[one].perSecond / round[other].perSecond),
    );
  const of = (name, figure) =>
    median(rounds.filter((round) => name in round).map((round) => round[name][figure]));
  const [first] = folders;
  return folders.flatMap(({ name, stream, count }) => {
    const [ours, bare, aimock] = [`ours ${name}`, `bare ${name}`, `aimock ${name}`];
    const rates = [ours, bare, aimock].map((one) => of(one, "perSecond").toFixed(0));
    const waits = [ours, bare, aimock].map((one) => of(one, "medianMs").toFixed(1));
    const alike = ratio(ours, bare) / ratio(`ours ${first.name}`, `bare ${first.name}`);
    const plain = [ratio(ours, `ours ${first.name}`), ratio(bare, `bare ${first.name}`)];
    const isAlike = !stream && name !== first.name;
    return [
      [`replay, ${name}: times bare node:http`, ratio(ours, bare).toFixed(2), "at least 0.9"],
      [`  times aimock`, ratio(ours, aimock).toFixed(1), count >= 10_000 ? "at least 25" : "at least 4"],
      ["  replies per second, ours / bare / aimock", rates.join(" / ")],
      ["  median latency of 64 at once, ms, ours / bare / aimock", waits.join(" / ")],
      ...(isAlike
        ? [
            [`  against ${first.name}, each times bare`, alike.toFixed(2), "at least 0.9"],
            [
              "  the rates alone, ours / bare",
              plain.map((one) => one.toFixed(2)).join(" / "),
              "ours: at least 0.9",
            ],
          ]
        : []),
    ];
  });
}

/** Number of calls that warm a server up before the measurement. */
const WARM_UP_CALLS = 2_000;
/** Number of repeated calls that a client measures. */
const REPEATS = 10_000;
const ALL_SECONDS = 120;

/** The rows about calls that come once, which most of a suite's are. @param {Folder} folder */
export async function firstTimeRates(folder) {
  const once = { warmUpCalls: WARM_UP_CALLS, last: Math.min(folder.count, REPEATED), bound: "at least 0.5" };
  return [
    ...(await rateRows(folder, { ...once, by: load, what: "each call once" })),
    ...(await rateRows(folder, { ...once, by: loadByFetch, what: "each call once, by fetch as SDKs call" })),
  ];
}

/** The rows about calls that come again from clients as suites have them. @param {Folder} folder */
export async function clientRates(folder) {
  const warmUpCalls = Math.max(WARM_UP_CALLS, Math.min(folder.count, REPEATED));
  const again = { warmUpCalls, last: warmUpCalls + REPEATS, bound: "at least 0.85" };
  return rateRows(folder, { ...again, by: loadByFetch, what: "repeated, by fetch as SDKs call" });
}

async function rateRows(folder, { what, bound, ...calls }) {
  const rounds = [];
  for (let nth = 0; nth < PROCESSES; nth += 1) {
    const [ours, bare] = [await rateOf("ours", folder, calls), await rateOf("bare", folder, calls)];
    rounds.push({ ours, bare, ratio: ours / bare });
  }
  const of = (figure) => median(rounds.map((round) => round[figure]));
  return [
    [`replay, ${folder.name}, ${what}: times bare node:http`, of("ratio").toFixed(2), bound],
    ["  replies per second, ours / bare", `${of("ours").toFixed(0)} / ${of("bare").toFixed(0)}`],
  ];
}

async function rateOf(kind, folder, { by, warmUpCalls, last }) {
  const server = await start(kind, folder);
  await by({ ...server, seconds: ALL_SECONDS, last: warmUpCalls });
  const { perSecond } = await by({ ...server, seconds: ALL_SECONDS, last });
  server.child.kill();
  return perSecond;
}

async function startAll(folders) {
  const servers = [];
  for (const folder of folders)
    for (const kind of ["ours", "bare", "aimock"]) servers.push(await start(kind, folder));
  return servers;
}

/** Loads the servers by turns in random order, so that other work affects all alike. Returns their rates in each round. */
async function inTurn(servers) {
  // Warms up until the code is compiled and every recording has been read twice.
  for (const server of servers) await warmUp(server);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const rates = {};
    for (const server of shuffled(servers.filter(({ rounds: most }) => round < most))) {
      await load({ ...server, seconds: AGAIN_SECONDS });
      rates[server.name] = await load({ ...server, seconds: SECONDS });
    }
    rounds.push(rates);
  }
  return rounds;
}

async function warmUp(server) {
  if (server.kind === "aimock") {
    await load({ ...server, seconds: 1 });
    return;
  }
  for (let spent = 0; spent < WARM_UP_SECONDS || server.from.next < 4 * server.requests.length; spent += 1)
    await load({ ...server, seconds: 1 });
}

async function start(kind, { name, dir, count, stream = false }) {
  const repeated = Math.min(count, REPEATED);
  const child = fork(join(import.meta.dirname, "server.mjs"), [
    kind,
    dir,
    String(kind === "aimock" ? count : repeated),
    stream ? "stream" : "json",
  ]);
  const { port, path } = await new Promise((resolve) => child.once("message", resolve));
  const bodies = Array.from({ length: repeated }, (_, index) => chatRequest(index, stream));
  const requests = bodies.map((body) => post(path, body, port));
  const rounds = kind === "aimock" ? AIMOCK_ROUNDS : ROUNDS;
  return { kind, name: `${kind} ${name}`, child, port, path, bodies, from: { next: 0 }, requests, rounds };
}

function shuffled(values) {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
