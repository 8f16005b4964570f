// Measures what the hooks cost in Node: processes and calls with and without them, by turns, so that other work on the
// machine affects both alike.
import { fork, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";

const hooksDir = join(import.meta.dirname, "..", "dist", "hooks");
const STARTS = 21;
const CALLS = 9;

/** Returns rows for the table: [what, figure, bound]. */
export async function hookCosts() {
  // The server needs its own process, because this one blocks while a measured process runs.
  const server = fork(import.meta.filename, ["serve"]);
  const [port] = await once(server, "message");
  const url = `http://127.0.0.1:${port}/token`;
  const rows = [startRow(url), await testRow(url), ...(await callRows(url))];
  server.kill();
  return rows;
}

if (process.argv[2] === "serve") {
  const server = createServer((request, response) =>
    request.resume().on("end", () => response.end(proofIn(request) ?? "{}")),
  );
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

/** Returns the answer to the hooks' first request, which checks the server as src/server/guard/proof.ts does. */
function proofIn({ url, socket }) {
  const [, nonce] = /^\/@proof\/\w+\/(\w+)$/.exec(url) ?? [];
  if (nonce === undefined) return undefined;
  return createHmac("sha256", "token").update(`tapedeck proof\n${socket.localPort}\n${nonce}`).digest("hex");
}

/** Returns the value of TAPEDECK_GUARD that a run gives to its processes. */
const readGuardVariable = () =>
  spawnSync(
    process.execPath,
    [join(hooksDir, "..", "cli.js"), "run", "--", process.execPath, "-p", "process.env.TAPEDECK_GUARD"],
    { encoding: "utf8" },
  ).stdout.trim();
let guard;

function environments(url) {
  const { NODE_OPTIONS: _, TAPEDECK_URL: __, ...plain } = process.env;
  const loaded = {
    ...plain,
    NODE_OPTIONS: `--require="${join(hooksDir, "javascript", "tapedeck-preload.cjs")}"`,
  };
  return {
    plain,
    loaded,
    on: { ...loaded, TAPEDECK_URL: url, TAPEDECK_GUARD: (guard ??= readGuardVariable()) },
  };
}

/** Measures the CPU of a process that does nothing, as the process itself reports it at its end. */
function startRow(url) {
  const code = "const { user, system } = process.cpuUsage(); (user + system) / 1000";
  const rounds = Array.from({ length: STARTS }, () =>
    inTurn(environments(url), (env) =>
      Number(spawnSync(process.execPath, ["-p", code], { env, encoding: "utf8" }).stdout),
    ),
  );
  return [
    "start of node, ms of CPU: plain / hooks without an address / hooks / ratio",
    `${median(rounds.map(({ plain }) => plain)).toFixed(0)} / ${more(rounds, "loaded", 1)} / ${more(rounds, "on", 1)} / ${ratio(rounds)}`,
    "at most +8",
  ];
}

const ratio = (rounds) =>
  (median(rounds.map(({ on }) => on)) / median(rounds.map(({ plain }) => plain))).toFixed(2);

function inTurn(kinds, measure) {
  return Object.fromEntries(Object.entries(kinds).map(([kind, env]) => [kind, measure(env)]));
}

/** Measures a process with one test that makes no call. Its hooks report the test to the server while it runs. */
async function testRow(url) {
  const rounds = [];
  for (let round = 0; round < STARTS; round += 1) {
    const { plain, on } = environments(url);
    rounds.push({ plain: await lifetime(plain), on: await lifetime(on) });
  }
  return [
    "a process with one test of node:test, no call, ms: plain / hooks",
    `${median(rounds.map(({ plain }) => plain)).toFixed(0)} / ${more(rounds, "on", 1)}`,
  ];
}

/** Runs a process without blocking this one; returns its wall time in milliseconds. */
async function lifetime(env) {
  const begun = performance.now();
  const child = spawn(process.execPath, ["-e", 'require("node:test").test("adds", () => {})'], {
    env,
    stdio: "ignore",
  });
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - begun;
}

/** Returns the median difference to the plain figure of the same round. */
function more(rounds, kind, digits) {
  const difference = median(rounds.map((round) => round[kind] - round.plain)).toFixed(digits);
  return difference.startsWith("-") ? difference : `+${difference}`;
}

/** A test that makes calls one after the other, so that the hooks ask the runner and read the stack. */
const CALLING = `import { test } from "node:test";
import { writeSync } from "node:fs";
test("calls", async () => {
  const call = async () => (await fetch(process.env.BENCH_URL, { method: "POST", body: "{}" })).text();
  for (let index = 0; index < 200; index += 1) await call();
  const [begun, used] = [performance.now(), process.cpuUsage()];
  for (let index = 0; index < 500; index += 1) await call();
  const { user, system } = process.cpuUsage(used);
  writeSync(2, [(performance.now() - begun) / 500, (user + system) / 500_000].join());
});`;

async function callRows(url) {
  const env = environments(url);
  const [wall, cpu] = [[], []];
  for (let round = 0; round < CALLS; round += 1) {
    const [without, under] = [await timed(env.plain, url), await timed(env.on, url)];
    wall.push({ plain: without[0], on: under[0] });
    cpu.push({ plain: without[1], on: under[1] });
  }
  const row = (what, rounds) => [
    `one call in a test of node:test, ms${what}: plain / hooks / ratio`,
    `${median(rounds.map(({ plain }) => plain)).toFixed(2)} / ${more(rounds, "on", 2)} / ${ratio(rounds)}`,
  ];
  return [[...row("", wall), "at most +1"], row(" of CPU", cpu)];
}

async function timed(env, url) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", CALLING], {
    env: { ...env, BENCH_URL: url },
  });
  let text = "";
  child.stdout.resume();
  child.stderr.on("data", (bytes) => (text += bytes));
  await new Promise((resolve) => child.once("close", resolve));
  return text.split(",").map(Number);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
