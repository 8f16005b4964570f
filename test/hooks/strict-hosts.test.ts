import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";
import { PROVIDER_URLS } from "./provider-urls.ts";

const BODY = JSON.stringify({
  model: "m",
  prompt: "hi",
  query: "hi",
  documents: ["hi"],
  input: "hi",
  contents: [{ role: "user", parts: [{ text: "hi" }] }],
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
});

/** Asks each address, and prints what was looked up or connected to outside of this machine. No name server answers. */
const NODE = `
import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import net from "node:net";
const attempts = [];
dns.lookup = (host, ...rest) => {
  attempts.push(host);
  rest.at(-1)(Object.assign(new Error("no name server"), { code: "ENOTFOUND" }));
};
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  this.prependListener("connectionAttempt", (address) => address.startsWith("127.") || attempts.push(address));
  return connect.apply(this, args);
};
const [urls, body] = [JSON.parse(process.env.URLS), process.env.BODY];
const headers = { "content-type": "application/json", authorization: "Bearer sk-own" };
const byFetch = async (url) => (await fetch(url, { method: "POST", headers, body })).status;
const byHttp = (url) => new Promise((done, fail) => {
  const request = (url.startsWith("https") ? https : http).request(url, { method: "POST", headers }, (reply) => {
    reply.resume().on("end", () => done(reply.statusCode));
  });
  request.on("error", fail).end(body);
});
const statuses = {};
for (const ask of [byFetch, byHttp])
  for (const url of urls) {
    const status = await ask(url).catch((error) => error.message);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
console.log(JSON.stringify({ attempts, statuses }));
process.exit(0);
`;

const PYTHON = `
import http.client, json, os, sys, urllib.request, urllib.error
attempts = []
def audit(event, values):
    if event == "socket.getaddrinfo" and values[0] not in ("127.0.0.1", "localhost"):
        attempts.append(str(values[0]))
        raise OSError("no name server")
    if event == "socket.connect" and not str(values[1][0]).startswith("127."):
        attempts.append(str(values[1][0]))
        raise OSError("no network")
sys.addaudithook(audit)
urls, body = json.loads(os.environ["URLS"]), os.environ["BODY"].encode()
headers = {"content-type": "application/json", "authorization": "Bearer sk-own"}
statuses = {}
for url in urls:
    try:
        status = urllib.request.urlopen(urllib.request.Request(url, body, headers)).status
    except urllib.error.HTTPError as error:
        status = error.code
    except Exception as error:
        status = str(error)
    statuses[str(status)] = statuses.get(str(status), 0) + 1
print(json.dumps({"attempts": attempts, "statuses": statuses}))
`;

interface Outcome {
  readonly attempts: readonly string[];
  readonly statuses: Readonly<Record<string, number>>;
}

async function ask(
  command: readonly string[],
  options: readonly string[] = [],
): Promise<Outcome & { readonly code: number | null; readonly stderr: string }> {
  const cwd = aProject({ "ask.mjs": NODE, "ask.py": PYTHON });
  const env = { URLS: JSON.stringify(PROVIDER_URLS), BODY };
  const { code, stdout, stderr } = await tapedeck(["run", ...options, "--", ...command], { cwd, env });
  return { ...(JSON.parse(stdout) as Outcome), code, stderr };
}

const node = [process.execPath, "ask.mjs"];

describe("a strict run, of calls to models at addresses in code", () => {
  test("there are at least 60 hosts", () => {
    expect(new Set(PROVIDER_URLS.map((url) => new URL(url).host)).size).toBeGreaterThanOrEqual(60);
  });

  test("sends none out, from fetch and from node:http", async () => {
    const { attempts, statuses, code, stderr } = await ask(node);

    expect(attempts).toEqual([]);
    const misses = Object.entries(statuses).filter(([status]) => status === "404");
    expect(misses.reduce((sum, [, count]) => sum + count, 0)).toBe(2 * PROVIDER_URLS.length);
    expect(code).toBe(3);
    expect(stderr).toContain(`${2 * PROVIDER_URLS.length} missing`);
  });

  test("would send them all without the guard", async () => {
    const { attempts } = await ask(node, ["--no-guard"]);

    expect(new Set(attempts).size).toBeGreaterThanOrEqual(60);
  });

  test.skipIf(!hasPython)(`sends none out from Python ${hasPython ? "" : NEEDS_PYTHON}`, async () => {
    const { attempts, statuses, code } = await ask(["python3", "ask.py"]);

    expect(attempts).toEqual([]);
    expect(Object.keys(statuses)).toEqual(["404"]);
    expect(code).toBe(3);
  });
});

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const COMPLETION = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
});

/** A server at an address that is not the loopback one, and the requests that reached it. */
async function aGateway(): Promise<{ readonly origin: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const isMarked = request.headers["x-tapedeck-test"] !== undefined;
    const other = isMarked ? "marked" : "fine";
    response.writeHead(200, { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] });
    response.end(request.url?.includes("completions") ? COMPLETION : other);
  });
  server.listen(0, outside);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { origin: `http://${outside}:${(server.address() as AddressInfo).port}`, requests };
}

const ASKING = `
const origin = process.env.ORIGIN;
const ask = (path, init) => fetch(origin + path, init).then(async (reply) => \`\${reply.status} \${await reply.text()}\`, (error) => String(error.cause));
const post = (body) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
console.log(await ask("/health"));
console.log((await ask("/v1/chat/completions", post({ model: "m", messages: [{ role: "user", content: "hi" }] }))).slice(0, 3));
console.log(await ask("/health"));
console.log(await ask("/v1/messages", post({ channel: "general" })));
process.exit(0);
`;

describe.skipIf(outside === undefined)("a host outside that serves models and other things", () => {
  const run = async (options: readonly string[], files: Readonly<Record<string, string>> = {}) => {
    const gateway = await aGateway();
    const cwd = aProject({ "ask.mjs": ASKING, ...files });
    const env = { ORIGIN: gateway.origin };
    const ended = await tapedeck(["run", ...options, "--", process.execPath, "ask.mjs"], { cwd, env });
    return { ...ended, gateway, lines: ended.stdout.trim().split("\n"), cwd, env };
  };

  test("is asked no model in a strict run, and answers the rest, which the report counts", async () => {
    const { gateway, lines, stderr, code } = await run([]);

    expect(gateway.requests).toEqual(["GET /health", "GET /health", "POST /v1/messages"]);
    expect(lines).toEqual(["200 fine", "404", "200 fine", "200 fine"]);
    expect(stderr).toContain(`connections to ${new URL(gateway.origin).host} were not model calls.`);
    expect(code).toBe(3);
  });

  test("is recorded under its own name, and replayed", async () => {
    const { gateway, lines, cwd, env } = await run(["--mode", "record"]);
    const replayed = await tapedeck(["run", "--", process.execPath, "ask.mjs"], { cwd, env });

    expect(lines[1]).toBe("200");
    expect(gateway.requests.filter((request) => request.includes("completions"))).toHaveLength(1);
    expect(replayed.stderr).toContain("0 missing");
  });

  test("is reached by nothing where the run blocks the network", async () => {
    const { gateway, lines, stderr } = await run(["--block-network"]);

    expect(gateway.requests).toEqual([]);
    expect(lines[0]).toContain('add it to "allowHosts" in tapedeck.jsonc');
    expect(lines[1]).toBe("404");
    expect(stderr).toContain("refused (--block-network)");
  });

  test("is reached where the project allows it", async () => {
    const { gateway } = await run(["--block-network"], {
      "tapedeck.jsonc": JSON.stringify({ allowHosts: [outside] }),
    });

    expect(gateway.requests).toEqual(["GET /health", "GET /health", "POST /v1/messages"]);
  });
});
