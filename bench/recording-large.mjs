// Measures what recording large calls costs the server, as a multiple of forwarding the same calls: CPU seconds of its
// process, and the waiting time of other clients. Server, provider, and other client are separate processes; with the
// arguments `provider` or `others ADDRESS`, this file is one of them.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chatReply, chatRequest } from "./calls.mjs";
import { median } from "./median.mjs";

const ROUNDS = 3;
const OWN = fileURLToPath(import.meta.url);
const CLI = join(import.meta.dirname, "..", "dist", "cli.js");
const MIB = 1_048_576;
const EVENTS = 5_000;
const TURNS = 60;

const words = (length) => "The parcel left the warehouse on Monday. ".repeat(length / 41);
/** A text with four words per 100 characters that start a search for a secret. */
const credentialWords = (length) =>
  "the api_key of it, a password or a token; no secret here but words that are many and many more ".repeat(
    length / 95,
  );
const request = (content, more = {}) =>
  JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }], ...more });

/** Returns the requests of a case in a round. Each round has different ones, because a call is recorded once. */
const CASES = [
  {
    name: `a stream of ${EVENTS.toLocaleString("en")} events`,
    requests: (round) => [request(`stream ${round}`, { stream: true })],
    bound: "CPU under 0.6 s",
  },
  {
    name: `an agent's ${TURNS} turns, up to 200 KB`,
    requests: (round) =>
      Array.from({ length: TURNS }, (_, turn) => request(`${round} ${words((turn + 1) * 3_400)}`)),
  },
  {
    name: "16 MiB of words",
    requests: (round) => [request(`${round} ${words(16 * MIB)}`)],
    bound: "wait under 1000 ms",
  },
  {
    name: "16 MiB of words about credentials",
    requests: (round) => [request(`${round} ${credentialWords(16 * MIB)}`)],
    bound: "wait under 1000 ms",
  },
];

/** Returns two rows per case: CPU as a ratio to passing on, and the longest wait of concurrent calls. */
export async function recordingLargeRows(home) {
  const provider = fork(OWN, ["provider"]);
  const [port] = await once(provider, "message");
  const rows = [];
  try {
    for (const [index, { name, requests, bound }] of CASES.entries()) {
      const passed = await measure(join(home, `passed-${index}`), { port, mode: "live", requests });
      const recorded = await measure(join(home, `recorded-${index}`), { port, mode: "record", requests });
      const ratio = recorded.cpuMs / Math.max(10, passed.cpuMs);
      rows.push([
        `recording ${name}: CPU, times passing it on (s)`,
        `${ratio.toFixed(1)} (${(recorded.cpuMs / 1000).toFixed(2)})`,
        bound?.startsWith("CPU") ? bound : undefined,
      ]);
      rows.push([
        `others' longest wait meanwhile, ms (passing on / idle)`,
        `${recorded.waitMs.toFixed(0)} (${passed.waitMs.toFixed(0)} / ${recorded.idleMs.toFixed(0)})`,
        bound?.startsWith("wait") ? bound : undefined,
      ]);
    }
  } finally {
    provider.kill();
  }
  return rows;
}

async function measure(dir, { port, mode, requests }) {
  mkdirSync(dir);
  const args = [CLI, "serve", "--mode", mode, "--upstream", `openai=http://127.0.0.1:${port}/v1`];
  const stdio = ["ignore", "pipe", "ignore"];
  const server = spawn(execPath, args, { cwd: dir, env: { ...env, OPENAI_API_KEY: "sk-bench" }, stdio });
  const [ready] = await once(server.stdout.setEncoding("utf8"), "data");
  const address = `${/"OPENAI_BASE_URL":"([^"]+)"/.exec(ready)[1]}/chat/completions`;
  try {
    const cpuMs = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = cpuOf(server.pid);
      for (const body of requests(`cpu ${round}`)) await ask(address, body);
      await setTimeout(300); // until the work after the last byte has ended
      cpuMs.push(cpuOf(server.pid) - before);
    }
    const others = fork(OWN, ["others", address]);
    await setTimeout(500);
    const idleMs = await longest(others);
    for (const body of requests("wait")) await ask(address, body);
    const waitMs = await longest(others);
    others.kill();
    return { cpuMs: median(cpuMs), idleMs, waitMs };
  } finally {
    server.kill("SIGINT");
    await once(server, "exit"); // it writes until then
  }
}

/** Returns the CPU time of a process in ms, with a resolution of 10 ms (Linux clock ticks). */
function cpuOf(pid) {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** Returns the longest wait since the last call of this function. */
async function longest(others) {
  others.send("tell");
  const [wait] = await once(others, "message");
  return wait;
}

async function ask(address, body, agent) {
  const headers = { "content-type": "application/json", authorization: "Bearer sk-bench" };
  const sent = http.request(address, { method: "POST", headers, ...(agent && { agent }) }).end(body);
  const [response] = await once(sent, "response");
  for await (const _ of response);
  if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`);
}

function provide() {
  const event = (delta, finish) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "gpt-4o", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const events = Array.from({ length: EVENTS }, (_, index) => event({ content: ` word${index}` }, null));
  const stream = `${events.join("")}${event({}, "stop")}data: [DONE]\n\n`;
  const answer = async (asked, response) => {
    let end = "";
    for await (const piece of asked) end = (end + piece.toString("latin1")).slice(-100);
    const isStream = end.endsWith('"stream":true}');
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? stream : chatReply(1));
  };
  const server = http.createServer((asked, response) => void answer(asked, response));
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

/** Makes new short calls one after the other. */
async function askOnAndOn(address) {
  const agent = new http.Agent({ keepAlive: true });
  let most = 0;
  process.on("message", () => {
    process.send(most);
    most = 0;
  });
  for (let index = 0; ; index += 1) {
    const begun = performance.now();
    await ask(address, chatRequest(index), agent);
    most = Math.max(most, performance.now() - begun);
    await setTimeout(2);
  }
}

const [part, address] = process.argv.slice(2);
if (process.argv[1] === OWN) await { provider: provide, others: askOnAndOn }[part](address);
