// Cost of a team cache: the first read of a recording from Redis on this machine compared to a folder, and a pull of
// many recordings compared to redis-cli.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { openDeck } from "../dist/index.js";
import { chatRequest } from "./calls.mjs";
import { median } from "./median.mjs";

const CLI = join(import.meta.dirname, "..", "dist", "cli.js");
/** Number of calls, each made to a folder and to Redis by turns. */
const CALLS = 1_000;

/** Returns the rows, or one that names what to install. @param {{ dir: string, count: number }} folder @param {string} home */
export async function remoteRows({ dir, count }, home) {
  if (spawnSync("redis-server", ["--version"]).status !== 0)
    return [["a team's cache in Redis", "not installed", "apt-get install redis-server"]];
  const port = await freePort();
  const server = spawn("redis-server", ["--port", String(port), "--save", "", "--appendonly", "no"], {
    stdio: "ignore",
  });
  try {
    await untilItAnswers(port);
    const key = execFileSync(process.execPath, [CLI, "remote", "key"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const env = {
      ...process.env,
      TAPEDECK_REMOTE: `redis://127.0.0.1:${port}/0`,
      TAPEDECK_REMOTE_KEY: key.trim(),
    };
    const tapedeck = (/** @type {readonly string[]} */ ...args) =>
      execFileSync(process.execPath, [CLI, ...args], { env, stdio: "pipe" });
    tapedeck("push", "--dir", dir, "--remote-write");
    return [...(await reads(dir, home, env)), ...pulls({ count, home, port, tapedeck })];
  } finally {
    server.kill("SIGKILL");
  }
}

/** Measures calls over HTTP one after the other, each answered first by a folder and then by Redis. */
async function reads(dir, home, env) {
  const settings = async () => ({
    address: env.TAPEDECK_REMOTE,
    key: env.TAPEDECK_REMOTE_KEY,
    writes: false,
    encrypt: false,
  });
  const decks = {
    folder: openDeck({ dir }),
    redis: openDeck({ dir: join(home, "remote-empty"), remote: { env, said: settings } }),
  };
  const urls = {};
  for (const [name, deck] of Object.entries(decks))
    urls[name] = (await deck.listen()).admit(deck.createRun("strict")).url;
  const ask = async (name, index) => {
    const begun = performance.now();
    const reply = await fetch(`${urls[name]}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: chatRequest(index),
    });
    await reply.arrayBuffer();
    const took = performance.now() - begun;
    if (reply.status !== 200) throw new Error(`${name} did not replay call ${index}: ${reply.status}`);
    return took;
  };
  const rows = [];
  for (const which of ["for the first time", "again"]) {
    const [folder, redis] = [[], []];
    for (let index = 0; index < CALLS; index += 1) {
      folder.push(await ask("folder", index));
      redis.push(await ask("redis", index));
    }
    const [one, other] = [median(folder), median(redis)];
    const bound = which === "again" ? "at most 1.1" : "at most 2";
    rows.push([
      `a call from Redis ${which}, times one of a folder (ms)`,
      `${(other / one).toFixed(2)} (${other.toFixed(2)} / ${one.toFixed(2)})`,
      bound,
    ]);
  }
  await Promise.all(Object.values(decks).map((deck) => deck.close()));
  return rows;
}

/** Compares two programs as a whole; both write a file for each recording. */
function pulls({ count, home, port, tapedeck }) {
  const times = { ours: [], redis: [] };
  for (let round = 0; round < 3; round += 1) {
    times.ours.push(timed(() => tapedeck("pull", "--dir", join(home, `pulled-${round}`))));
    times.redis.push(timed(() => takeByRedisCli(port, join(home, `taken-${round}`))));
  }
  const [ours, redis] = [median(times.ours), median(times.redis)];
  return [
    [
      `pull of ${count.toLocaleString("en")} from Redis, speed times redis-cli's (s)`,
      `${(redis / ours).toFixed(2)} (${(ours / 1000).toFixed(2)} / ${(redis / 1000).toFixed(2)})`,
      "at least 0.5",
    ],
  ];
}

/** Separates two values; no recording contains this line. */
const DELIMITER = "<<next>>";

/** Reads the whole database with redis-cli, as `xargs` would, and writes a file for each value. */
function takeByRedisCli(port, dir) {
  mkdirSync(dir);
  const cli = (/** @type {readonly string[]} */ args, input = "") =>
    execFileSync("redis-cli", ["-p", String(port), ...args], { input, maxBuffer: 2 ** 31 - 1 }).toString(
      "latin1",
    );
  // The probe left an empty key, which expires.
  const names = cli(["--scan"])
    .split("\n")
    .filter((name) => name !== "" && !name.endsWith(".probe"));
  let asked = "";
  for (let at = 0; at < names.length; at += 1_000) asked += `MGET ${names.slice(at, at + 1_000).join(" ")}\n`;
  const values = cli(["-d", DELIMITER, "-D", DELIMITER], asked).split(DELIMITER).filter(Boolean);
  if (values.length !== names.length) throw new Error(`redis-cli gave ${values.length} of ${names.length}`);
  for (const [at, value] of values.entries()) writeFileSync(join(dir, String(at)), value, "latin1");
}

function timed(work) {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function untilItAnswers(port) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (spawnSync("redis-cli", ["-p", String(port), "ping"]).status === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("redis-server did not start");
}
