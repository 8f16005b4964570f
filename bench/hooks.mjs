// What the hooks cost: processes and calls with and without them, in turn, so that whatever else the machine does hits all.
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
  const { node, python } = PROGRAMS;
  const programs = spawnSync("python3", ["--version"]).status === 0 ? [node, python] : [node];
  const rows = [];
  for (const { name, command, empty } of programs) rows.push(startRow(name, command, empty, url));
  for (const { tests, command, silent } of programs) rows.push(await testRow(tests, command, silent, url));
  for (const program of programs) rows.push(await callRow(program, url));
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
  const { NODE_OPTIONS: _, PYTHONPATH: __, TAPEDECK_URL: ___, ...plain } = process.env;
  const loaded = {
    ...plain,
    NODE_OPTIONS: `--require="${join(hooksDir, "javascript", "tapedeck-preload.cjs")}"`,
    PYTHONPATH: join(hooksDir, "python"),
  };
  return { plain, loaded, on: { ...loaded, TAPEDECK_URL: url, TAPEDECK_GUARD: (guard ??= guardSaid()) } };
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
    "at most +30",
  ];
}

function inTurn(kinds, measure) {
  return Object.fromEntries(Object.entries(kinds).map(([kind, env]) => [kind, measure(env)]));
}

/** A process with one test that calls nobody: it tells the server of its test, while the test runs. */
async function testRow(name, command, args, url) {
  const rounds = [];
  for (let round = 0; round < STARTS; round += 1) {
    const { plain, on } = environments(url);
    rounds.push({ plain: await lifetime(command, args, plain), on: await lifetime(command, args, on) });
  }
  return [
    `a process with one test of ${name}, no call, ms: plain / hooks`,
    `${median(rounds.map(({ plain }) => plain)).toFixed(0)} / ${more(rounds, "on", 1)}`,
  ];
}

/** Not in step with this process, whose server answers. */
async function lifetime(command, args, env) {
  const begun = performance.now();
  const child = spawn(command, args, { env, stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - begun;
}

/** The median of what a round's figure is above the plain one of the same round. */
function more(rounds, kind, digits) {
  const difference = median(rounds.map((round) => round[kind] - round.plain)).toFixed(digits);
  return difference.startsWith("-") ? difference : `+${difference}`;
}

/** Calls one after the other from a test, whose runner's probe and stack are then read. */
const CALLING_NODE = `import { test } from "node:test";
import { writeSync } from "node:fs";
test("calls", async () => {
  const call = async () => (await fetch(process.env.BENCH_URL, { method: "POST", body: "{}" })).text();
  for (let index = 0; index < 200; index += 1) await call();
  const begun = performance.now();
  for (let index = 0; index < 500; index += 1) await call();
  writeSync(2, String((performance.now() - begun) / 500));
});`;

const CALLING_PYTHON = `import http.client, os, sys, time, unittest
from urllib.parse import urlparse
class Calls(unittest.TestCase):
    def test_calls(self):
        url = urlparse(os.environ["BENCH_URL"])
        connection = http.client.HTTPConnection(url.hostname, url.port)
        def call():
            connection.request("POST", url.path, b"{}")
            connection.getresponse().read()
        for _ in range(200): call()
        begun = time.perf_counter()
        for _ in range(500): call()
        sys.stdout.write(str((time.perf_counter() - begun) * 2))
        connection.close()
unittest.main()`;

/** What is measured of a language. `tells` is where its calling test, but not its runner, writes. */
const PROGRAMS = {
  node: {
    name: "node",
    tests: "node:test",
    command: process.execPath,
    empty: ["-e", "0"],
    silent: ["-e", 'require("node:test").test("adds", () => {})'],
    calling: ["--input-type=module", "-e", CALLING_NODE],
    tells: "stderr",
  },
  python: {
    name: "python3",
    tests: "unittest",
    command: "python3",
    empty: ["-c", "0"],
    silent: [
      "-c",
      "import unittest\nclass Adds(unittest.TestCase):\n    def test_adds(self): pass\nunittest.main()",
    ],
    calling: ["-c", CALLING_PYTHON],
    tells: "stdout",
  },
};

async function callRow(program, url) {
  const { plain, on } = environments(url);
  const rounds = [];
  for (let round = 0; round < CALLS; round += 1)
    rounds.push({ plain: await timed(program, plain, url), on: await timed(program, on, url) });
  return [
    `one call in a test of ${program.tests}, ms: plain / hooks`,
    `${median(rounds.map((round) => round.plain)).toFixed(2)} / ${more(rounds, "on", 2)}`,
    "at most +1",
  ];
}

async function timed({ command, calling, tells }, env, url) {
  const child = spawn(command, calling, { env: { ...env, BENCH_URL: url } });
  let text = "";
  for (const stream of ["stdout", "stderr"]) child[stream].resume();
  child[tells].on("data", (bytes) => (text += bytes));
  await new Promise((resolve) => child.once("close", resolve));
  return Number(text);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
