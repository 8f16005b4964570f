// How long others wait while a large call is recorded. Server, provider and the other client are processes of their own:
// run as `beside-large.mjs provider` or `others ADDRESS`, this file is one of them.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chatReply, chatRequest } from "./calls.mjs";

const LARGE_BYTES = 60 * 1_048_576;
const ROUNDS = 3;
const OWN = fileURLToPath(import.meta.url);
const CLI = join(import.meta.dirname, "..", "dist", "cli.js");
const LARGE_REPLY = "with a large reply";

/** A row each for a large request and a large reply: others' longest wait in each round, and what it is without. */
export async function besideLargeRows(home) {
  const provider = fork(OWN, ["provider"]);
  const [port] = await once(provider, "message");
  try {
    return [
      await row(join(home, "large-request"), port, "request"),
      await row(join(home, "large-reply"), port, "reply"),
    ];
  } finally {
    provider.kill();
  }
}

async function row(dir, port, what) {
  mkdirSync(dir);
  const args = [CLI, "serve", "--mode", "record", "--upstream", `openai=http://127.0.0.1:${port}/v1`];
  const stdio = ["ignore", "pipe", "ignore"];
  const server = spawn(execPath, args, { cwd: dir, env: { ...env, OPENAI_API_KEY: "sk-bench" }, stdio });
  const [ready] = await once(server.stdout.setEncoding("utf8"), "data");
  const address = `${/"OPENAI_BASE_URL":"([^"]+)"/.exec(ready)[1]}/chat/completions`;
  const others = fork(OWN, ["others", address]);
  try {
    await setTimeout(2_000);
    const idle = await longest(others);
    const beside = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await ask(address, largeRequest(what, round));
      await setTimeout(1_000);
      beside.push(await longest(others));
    }
    const times = `${beside.map((wait) => wait.toFixed(0)).join(", ")} / ${idle.toFixed(0)}`;
    return [`others' longest wait beside a ${what} of 60 MiB, ms (3 rounds / idle)`, times, "under 50"];
  } finally {
    others.kill();
    server.kill("SIGINT");
    await once(server, "exit"); // it writes until then
  }
}

/** The longest wait since the last question. */
async function longest(others) {
  others.send("tell");
  const [wait] = await once(others, "message");
  return wait;
}

function largeRequest(what, round) {
  const text = what === "reply" ? LARGE_REPLY : "The parcel was sent yesterday. ".repeat(LARGE_BYTES / 31);
  return JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: `${round} ${text}` }] });
}

async function ask(address, body, agent) {
  const headers = { "content-type": "application/json", authorization: "Bearer sk-bench" };
  const request = http.request(address, { method: "POST", headers, ...(agent && { agent }) }).end(body);
  const [response] = await once(request, "response");
  for await (const _ of response);
  if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`);
}

function provide() {
  const small = chatReply(1);
  const large = small.replace(/"content":"/, `$&${"QUJD".repeat(LARGE_BYTES / 4)}`);
  const server = http.createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const isLarge = pieces.length < 3 && Buffer.concat(pieces).includes(LARGE_REPLY);
      response.writeHead(200, { "content-type": "application/json" }).end(isLarge ? large : small);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

/** Asks new short calls one after the other. */
async function askOnAndOn(address) {
  const agent = new http.Agent({ keepAlive: true });
  let most = 0;
  process.on("message", () => {
    process.send(most);
    most = 0;
  });
  for (let index = 0; ; index += 1) {
    const begun = performance.now();
    await ask(address, chatRequest(index, false), agent);
    most = Math.max(most, performance.now() - begun);
    await setTimeout(2);
  }
}

const [part, address] = process.argv.slice(2);
if (process.argv[1] === OWN) await { provider: provide, others: askOnAndOn }[part](address);
