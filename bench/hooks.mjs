// What the hooks cost: processes and calls with and without them, in turn, so that whatever else the machine does hits all.
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { delimiter, join } from "node:path";

const hooksDir = join(import.meta.dirname, "..", "dist", "hooks");
const STARTS = 21;
const CALLS = 9;

/** Rows for the table: [what, figure, bound]. */
export async function hookCosts() {
  const server = createServer((request, response) => request.resume().on("end", () => response.end("{}")));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/token`;
  const rows = [startRow("node", process.execPath, ["-e", "0"], url)];
  if (spawnSync("python3", ["--version"]).status === 0)
    rows.push(startRow("python3", "python3", ["-c", "0"], url));
  rows.push(await callRow(url));
  server.close();
  server.closeAllConnections();
  return rows;
}

function environments(url) {
  const { NODE_OPTIONS: _, PYTHONPATH: __, TAPEDECK_URL: ___, ...plain } = process.env;
  const loaded = {
    ...plain,
    NODE_OPTIONS: `--require="${join(hooksDir, "javascript", "tapedeck-preload.cjs")}"`,
    PYTHONPATH: join(hooksDir, "python") + delimiter,
  };
  return { plain, loaded, on: { ...loaded, TAPEDECK_URL: url } };
}

function startRow(name, command, args, url) {
  const rounds = Array.from({ length: STARTS }, () =>
    inTurn(environments(url), (env) => {
      const begun = performance.now();
      spawnSync(command, args, { env });
      return performance.now() - begun;
    }),
  );
  return [
    `start of ${name}, ms: plain / hooks without an address / hooks`,
    `${median(rounds.map(({ plain }) => plain)).toFixed(0)} / ${more(rounds, "loaded", 1)} / ${more(rounds, "on", 1)}`,
  ];
}

function inTurn(kinds, measure) {
  return Object.fromEntries(Object.entries(kinds).map(([kind, env]) => [kind, measure(env)]));
}

/** The median of what a round's figure is above the plain one of the same round. */
function more(rounds, kind, digits) {
  const difference = median(rounds.map((round) => round[kind] - round.plain)).toFixed(digits);
  return difference.startsWith("-") ? difference : `+${difference}`;
}

/** Calls one after the other from a test of node:test, whose probe and stack are then read. */
const CALLING = `import { test } from "node:test";
import { writeSync } from "node:fs";
test("calls", async () => {
  const call = async () => (await fetch(process.env.BENCH_URL, { method: "POST", body: "{}" })).text();
  for (let index = 0; index < 200; index += 1) await call();
  const begun = performance.now();
  for (let index = 0; index < 500; index += 1) await call();
  writeSync(2, String((performance.now() - begun) / 500));
});`;

async function callRow(url) {
  const { plain, on } = environments(url);
  const rounds = [];
  for (let round = 0; round < CALLS; round += 1)
    rounds.push({ plain: await timed(plain, url), on: await timed(on, url) });
  return [
    "one call in a test of node:test, ms: plain / hooks",
    `${median(rounds.map((round) => round.plain)).toFixed(2)} / ${more(rounds, "on", 2)}`,
  ];
}

async function timed(env, url) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", CALLING], {
    env: { ...env, BENCH_URL: url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (bytes) => (text += bytes));
  await new Promise((resolve) => child.once("close", resolve));
  return Number(text);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
