import { execFile } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { createHookEnvironment } from "../../src/hooks/environment.ts";
import { hooksDir } from "../fixtures/runners/hooked.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { aServer } from "../support/a-server.ts";
import { casesOf } from "../support/cases.ts";

const execute = promisify(execFile);
const modules = join(rootDir, "node_modules");

/** Has `call(content)` make calls to the address in its code, and prints status and text of each. */
const calling = (client: string, of = ""): string => `
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(join(modules, "x.js"))});
const URL_IN_CODE = "https://api.openai.com/v1/chat/completions";
const headers = { "content-type": "application/json", authorization: "Bearer sk-own" };
const bodyOf = (content) => JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] });
const collect = (options) => (content) => new Promise((done, fail) => {
  const body = bodyOf(content);
  const request = options.request(URL_IN_CODE, { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) }, ...options }, (reply) => {
    let text = "";
    reply.on("data", (piece) => (text += piece)).on("end", () => done({ status: reply.statusCode, text }));
  });
  request.on("error", fail);
  request.end(body);
});
${client}
for (const content of ["one", "two", "one"]) {
  const { status, text } = await call(${JSON.stringify(of)} + content);
  console.log(status, text.replace(/\\s+/g, " ").slice(0, 400));
}
`;
const program = (client: string): string => `${calling(client)}process.exit(0);\n`;

const byUndici = (dispatcher: string): string => `
const undici = require("undici");
const dispatcher = ${dispatcher};
const call = async (content) => {
  const reply = await undici.request(URL_IN_CODE, { dispatcher, method: "POST", headers, body: bodyOf(content) });
  return { status: reply.statusCode, text: await reply.body.text() };
};`;

/** As https-proxy-agent 5 connects. */
const AGENT_OF_ITS_OWN = `
import net from "node:net";
import tls from "node:tls";
import { request } from "node:https";
class HttpsProxyAgent {
  addRequest(request) {
    const { hostname, port } = new URL(process.env.OWN_PROXY);
    const socket = net.connect(port, hostname);
    socket.write("CONNECT api.openai.com:443 HTTP/1.1\\r\\n\\r\\n");
    socket.once("data", () => request.onSocket(tls.connect({ socket, servername: "api.openai.com" })));
  }
}
const agent = new HttpsProxyAgent();
`;

const CLIENTS: Readonly<Record<string, string>> = {
  "the global fetch": `
const call = async (content) => {
  const reply = await fetch(URL_IN_CODE, { method: "POST", headers, body: bodyOf(content) });
  return { status: reply.status, text: await reply.text() };
};`,
  "a fetch that streams its body": `
const call = async (content) => {
  const body = new Blob([bodyOf(content)]).stream();
  const reply = await fetch(URL_IN_CODE, { method: "POST", headers, body, duplex: "half" });
  return { status: reply.status, text: await reply.text() };
};`,
  "node:https": `import https from "node:https"; const call = collect({ request: https.request });`,
  "a name of node:https": `import { request } from "node:https"; const call = collect({ request });`,
  "node:https with an agent that keeps connections": `
import https from "node:https";
const call = collect({ request: https.request, agent: new https.Agent({ keepAlive: true, maxSockets: 1 }) });`,
  "node:https without an agent": `
import https from "node:https";
const call = collect({ request: https.request, agent: false });`,
  "a name of node:tls": `
import { connect } from "node:tls";
const call = (content) => new Promise((done, fail) => {
  const body = bodyOf(content);
  const socket = connect({ host: "api.openai.com", port: 443, servername: "api.openai.com" }, () => {
    if (!socket.authorized || !socket.encrypted) fail(new Error("not as TLS"));
    socket.write("POST /v1/chat/completions HTTP/1.1\\r\\nhost: api.openai.com\\r\\ncontent-type: application/json\\r\\nconnection: close\\r\\ncontent-length: " + body.length + "\\r\\n\\r\\n" + body);
  });
  let text = "";
  socket.on("data", (piece) => (text += piece)).on("error", fail);
  socket.on("end", () => done({ status: Number(text.slice(9, 12)), text: text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1) }));
});`,
  "node:http2": `
import http2 from "node:http2";
const session = http2.connect("https://api.openai.com");
const call = async (content) => {
  const stream = session.request({ ":method": "POST", ":path": "/v1/chat/completions", ...headers });
  stream.end(bodyOf(content));
  const { ":status": status } = await new Promise((done, fail) => stream.on("response", done).on("error", fail));
  let text = "";
  for await (const piece of stream) text += piece;
  return { status, text };
};`,
  "a packaged undici that would speak HTTP/2": byUndici("new undici.Agent({ allowH2: true })"),
  "a packaged undici with its own connection": byUndici(`new undici.Agent({
  connect: (options, done) => undici.buildConnector({ rejectUnauthorized: true })({ ...options, servername: options.hostname }, done),
})`),
  "node:https at an address that was looked up": `
import https from "node:https";
const call = collect({ request: https.request, host: "192.0.2.1", timeout: 2_000, servername: "api.openai.com" });`,
  "node:https with a host name that ends in a dot": `
import https from "node:https";
const call = collect({ request: https.request, host: "api.openai.com." });`,
  "node:tls over its own connection": `
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
const createConnection = (_, done) => {
  const socket = net.connect(443, "api.openai.com", () => done(null, tls.connect({ socket, servername: "api.openai.com" })));
  socket.on("error", done);
};
const call = collect({ request: https.request, agent: Object.assign(new https.Agent(), { createConnection }) });`,
  "a packaged undici": byUndici("undefined"),
};

/** They call by fetch and by node:https, and take long to load. */
const PACKAGES: Readonly<Record<string, string>> = {
  "node-fetch": `
const fetched = require("node-fetch");
const call = async (content) => {
  const reply = await (fetched.default ?? fetched)(URL_IN_CODE, { method: "POST", headers, body: bodyOf(content) });
  return { status: reply.status, text: await reply.text() };
};`,
  "OpenAI's SDK": `
const { OpenAI } = require("openai");
const client = new OpenAI({ apiKey: "sk-own", baseURL: "https://api.openai.com/v1" });
const call = async (content) => {
  const { response } = await client.chat.completions.create({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }).withResponse().catch((error) => ({ response: { status: error.status } }));
  return { status: response.status, text: "" };
};`,
};

/** What cannot be recorded yet, over HTTP/2: host, path, and type of each call. */
const NO_CALLS = [
  [
    "us-central1-aiplatform.googleapis.com",
    "/google.cloud.aiplatform.v1.PredictionService/GenerateContent",
    "application/grpc",
  ],
  [
    "bedrock-runtime.us-east-1.amazonaws.com",
    "/model/amazon.nova-sonic-v1%3A0/invoke-with-bidirectional-stream",
    "application/vnd.amazon.eventstream",
  ],
];
const ASK_NO_CALLS = `
import http2 from "node:http2";
for (const [host, path, type] of ${JSON.stringify(NO_CALLS)}) {
  const stream = http2.connect("https://" + host).request({ ":method": "POST", ":path": path, "content-type": type });
  stream.write("more comes after the answer");
  const { ":status": status } = await new Promise((done, fail) => stream.on("response", done).on("error", fail));
  let text = "";
  for await (const piece of stream) text += piece;
  console.log(status, text.replace(/\\s+/g, " "));
}
process.exit(0);`;

const run = (...words: string[]) => ["run", ...words, "--", process.execPath, "ask.mjs"];

describe("a client with a hard-coded address", () => {
  it("is recorded and replayed, whatever it calls by, each beside the others in one process, and by a variable", async () => {
    const upstream = await anUpstream();
    const clients = casesOf({ quick: CLIENTS, long: { ...CLIENTS, ...PACKAGES } });
    const names = Object.keys(clients);
    const files = names.map((name, at) => [`${at}.mjs`, calling(clients[name] ?? "", `${name}: `)]);
    const all = names.map(
      (name, at) =>
        `console.log(${JSON.stringify(`# ${name}`)});\nawait import("./${at}.mjs").catch((error) => console.log(error));`,
    );
    const [fetched = ""] = names;
    const byVariable = (CLIENTS[fetched] ?? "").replace(
      "fetch(URL_IN_CODE",
      'fetch(process.env.OPENAI_BASE_URL + "/chat/completions"',
    );
    const cwd = aProject({
      ...Object.fromEntries(files),
      "ask.mjs": `${all.join("\n")}\nif (process.argv[2]) await import(process.argv[2]);\nprocess.exit(0);`,
      "variable.mjs": calling(byVariable, `${fetched}: `),
    });

    const recorded = await tapedeck(run("--mode", "record", ...upstream.options), { cwd });
    const replayed = await tapedeck([...run(), "./variable.mjs"], { cwd });

    const answers = recorded.stdout.split(/^# /m).slice(1);
    expect(answers.filter((text) => !/^.*\n(?:200 .*\n){3}$/.test(text))).toEqual([]);
    expect(answers).toHaveLength(names.length);
    expect(recorded.stderr).toContain(`${3 * names.length} recorded`);
    expect(replayed.stderr).toContain(`${3 * names.length + 3} replayed · 0 missing · 0 sent`);
    // The first call's second answer is its last one.
    const [, , two = "", one = ""] = answers[0]?.split(/^/m) ?? [];
    expect(replayed.stdout).toBe(recorded.stdout + one + two + one);
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
  });

  it("that speaks another protocol over HTTP/2 is refused in a strict run, which fails and names it", async () => {
    const unknown = `
import tls from "node:tls";
const failed = (emitter, done) => emitter.on("error", ({ message }) => done(message));
const call = async () => ({
  status: 0,
  text: await new Promise((done) => failed(tls.connect({ host: "api.openai.com", port: 443, ALPNProtocols: ["h2"] }), done)),
});`;
    const cwd = aProject({ "ask.mjs": program(unknown) });

    const strict = await tapedeck(run(), { cwd });
    const accepted = await tapedeck(run("--allow-unseen"), { cwd });

    expect(strict.stdout).toContain("Tapedeck refused a connection to api.openai.com");
    expect(strict.stderr.match(/A call to /g)).toHaveLength(1);
    expect(strict.stderr).toContain("A call to api.openai.com:443 (3 times) bypassed Tapedeck in process");
    expect(strict.stderr).toContain("No call reached Tapedeck: the calls of this run bypassed it.");
    expect(strict.stderr).toContain("Observed 1 process with Tapedeck's hooks");
    expect([strict.code, accepted.code]).toEqual([3, 0]);
  });

  it("that is no call, gRPC or a stream in both directions, is refused in any mode, and named", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.mjs": ASK_NO_CALLS });

    const strict = await tapedeck(run(), { cwd });
    const recording = await tapedeck(run("--mode", "record", ...upstream.options), { cwd });

    for (const { stdout, stderr } of [strict, recording]) {
      const [grpc, bothWays] = stdout.trimEnd().split("\n");
      expect(grpc).toMatch(
        /^400 .*it uses gRPC, which cannot be recorded yet\. Nothing was sent\. Use REST in the client/,
      );
      expect(bothWays).toMatch(/^400 .*it streams in both directions, which cannot be recorded yet/);
      expect(stderr.match(/A call to \S+ got no response\. .*, which cannot be recorded yet/g)).toHaveLength(
        2,
      );
    }
    expect(upstream.requests).toEqual([]);
    expect([strict.code, recording.code]).toEqual([3, 0]);
  });

  it("is left to a mock in its own process, whose address the variables do not change", async () => {
    const mocked = `
import { createRequire } from "node:module";
const { MockAgent, request } = createRequire(${JSON.stringify(join(modules, "x.js"))})("undici");
const dispatcher = new MockAgent();
dispatcher.get("https://api.openai.com").intercept({ path: "/v1/chat/completions", method: "POST" }).reply(299, "mocked");
const base = process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1";
const reply = await request(base + "/chat/completions", { method: "POST", body: "{}", dispatcher });
console.log(reply.statusCode, await reply.body.text());`;
    const cwd = aProject({
      "package.json": JSON.stringify({ devDependencies: { undici: "7" } }),
      "ask.mjs": mocked,
    });

    const { stdout, stderr, code } = await tapedeck(run(), { cwd });

    expect(stdout).toBe("299 mocked\n");
    expect(stderr).toContain("No call reached Tapedeck. undici may have answered the calls of the tests.");
    expect(code).toBe(0);
  });

  it("to a client's own address is named when no call arrived, and is no bypassed call", async () => {
    const gateway = await aServer((_, reply) => reply.end("{}"));
    const url = `${gateway}/v1/chat/completions?x=1`;
    const asked = `await fetch(${JSON.stringify(url)}, { method: "POST", body: "{}" });`;

    const { stderr, code } = await tapedeck(run(), { cwd: aProject({ "ask.mjs": asked }) });

    expect(stderr).toContain(
      `No call reached Tapedeck. The client uses its own address: calls were sent to ${new URL(gateway).host}. Read the`,
    );
    expect(stderr).not.toContain("passed by");
    expect(code).toBe(0);
  });

  // axios before 1.16 writes the whole address of the provider, in the clear.
  it.each([
    ["a tunnel", byUndici("new undici.ProxyAgent(process.env.OWN_PROXY)"), ["CONNECT api.openai.com:443"]],
    [
      "a request with the whole address",
      `import http from "node:http";
const { hostname, port } = new URL(process.env.OWN_PROXY);
const request = (_, options, ...rest) => http.request({ ...options, hostname, port, path: URL_IN_CODE }, ...rest);
const call = collect({ request });`,
      [],
    ],
    [
      "an agent that does not extend Node's",
      `${AGENT_OF_ITS_OWN}const call = collect({ request, agent });`,
      [],
    ],
  ])("sends nothing to a provider through a proxy, by %s", async (_, client, expected) => {
    const heard: string[] = [];
    const proxy = createHttpServer((request, response) => {
      heard.push(`${request.method} ${request.url}`);
      response.end();
    }).on("connect", (request, socket) => {
      heard.push(`CONNECT ${request.url}`);
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.on("data", (piece) => heard.push(piece.toString("latin1"))).on("error", () => {});
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    onTestFinished(() => void proxy.close());
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.mjs": program(client) });
    const env = { OWN_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };

    const { stderr } = await tapedeck(run("--mode", "record", ...upstream.options), { cwd, env });

    expect(stderr).toContain("3 recorded");
    expect([...new Set(heard)]).toEqual(expected);
    const { stdout } = await tapedeck(["list"], { cwd });
    expect(stdout.match(/ask\.mjs/g)).toHaveLength(3);
  });

  it("sends nothing when something else has the server's port", async () => {
    const heard: string[] = [];
    const impostor = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (piece) => {
        heard.push(piece.toString("latin1"));
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      });
    });
    await new Promise<void>((done) => impostor.listen(0, "127.0.0.1", done));
    onTestFinished(() => void impostor.close());
    const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}/token-of-the-test`;
    const cwd = aProject({ "ask.mjs": program(CLIENTS["node:https"] ?? "") });
    const guard = { hosts: ["api.openai.com"], plain: [], calls: "" };
    const env = createHookEnvironment({ hooksDir, url, roots: [cwd], delimiter, guard, base: {} });

    const asked = execute(process.execPath, ["ask.mjs"], { cwd, env });

    await expect(asked).rejects.toThrow("is not the Tapedeck that set this process's variables");
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.filter((text) => !text.startsWith("GET /@proof/"))).toEqual([]);
  });

  it("that knows its host does not get there with its own TLS, nor in the clear", async () => {
    const ask = `
import net from "node:net"; import http from "node:http"; import tls from "node:tls";
new tls.TLSSocket(net.connect(443, "api.openai.com"), {}).on("error", () => {}).write("x");
http.get("http://api.openai.com/v1/models", (reply) => reply.resume());`;

    const { stderr, code } = await tapedeck(run(), { cwd: aProject({ "ask.mjs": ask }) });

    expect(stderr).toMatch(/api\.openai\.com:443 got no response\. Its client sets up TLS/);
    expect(stderr).toContain("1 missing");
    expect(code).toBe(3);
  });

  it("is seen in child processes with a custom environment, unless that turns the guard off", async () => {
    const ask =
      'require("node:https").get("https://api.openai.com/v1/models", () => process.exit()).on("error", () => process.exit(1));';
    const starts = `
import { execFile, execFileSync, fork, spawnSync } from "node:child_process";
import { Worker } from "node:worker_threads";
const ended = (child) => new Promise((done) => child.on("exit", done));
const args = ["-e", ${JSON.stringify(ask)}];
await ended(execFile(process.execPath, args, { env: {} }));
await ended(fork("child.cjs", { env: { PATH: process.env.PATH } }));
execFileSync(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: "" } });
spawnSync(process.execPath, args, { env: { PYTHONPATH: "/nowhere" } });
await ended(new Worker(${JSON.stringify(ask)}, { eval: true, env: {}, execArgv: [] }));
const print = ["-e", "console.log(process.env.TAPEDECK_URL, process.env.NODE_OPTIONS)"];
console.log(String(execFileSync(process.execPath, print, { env: { TAPEDECK_GUARD: "off" } })));`;
    const cwd = aProject({ "ask.mjs": starts, "child.cjs": ask });

    const { stdout, stderr } = await tapedeck(run(), { cwd });

    expect(stderr).toContain("0 replayed · 5 missing · 0 sent");
    expect(stdout).toBe("undefined undefined\n\n");
  });
});
