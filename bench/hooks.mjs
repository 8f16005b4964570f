// The cost of the hooks in Node: processes and calls with and without them, in turn, so that whatever else the machine does hits all.
import { fork, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";

const hooksDir = join(import.meta.dirname, "..", "dist", "hooks");
const STARTS = 21;
const CALLS = 9;

/** Rows for the table: [what, figure, bound]. */
export async function hookCosts() {
  // A process of its own: this one waits for those that it starts.
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

/** What the hooks ask before their first call, as src/server/guard/proof.ts answers it. */
function proofIn({ url, socket }) {
  const [, nonce] = /^\/@proof\/\w+\/(\w+)$/.exec(url) ?? [];
  if (nonce === undefined) return undefined;
  return createHmac("sha256", "token").update(`tapedeck proof\n${socket.localPort}\n${nonce}`).digest("hex");
}

/** What a run tells its processes of the connections that they redirect. */
const guardSaid = () =>
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
  return { plain, loaded, on: { ...loaded, TAPEDECK_URL: url, TAPEDECK_GUARD: (guard ??= guardSaid()) } };
}

/** CPU of a process that does nothing, as it reads its own at its end. */
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

/** A process with one test that calls nobody: it tells the server of its test, while the test runs. */
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

/** Not in step with this process, whose server answers. */
async function lifetime(env) {
  const begun = performance.now();
  const child = spawn(process.execPath, ["-e", 'require("node:test").test("adds", () => {})'], {
    env,
    stdio: "ignore",
  });
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - begun;
}

/** The median of what a round's figure is above the plain one of the same round. */
function more(rounds, kind, digits) {
  const difference = median(rounds.map((round) => round[kind] - round.plain)).toFixed(digits);
  return difference.startsWith("-") ? difference : `+${difference}`;
}

/** Calls one after the other from a test, whose runner's probe and stack are then read. */
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
