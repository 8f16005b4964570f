import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { itLong } from "../support/long.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

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
const [urls, some, body] = [JSON.parse(process.env.URLS), JSON.parse(process.env.SOME), process.env.BODY];
const headers = { "content-type": "application/json", authorization: "Bearer sk-own" };
const byFetch = async (url) => (await fetch(url, { method: "POST", headers, body })).status;
const byHttp = (url) => new Promise((done, fail) => {
  const request = (url.startsWith("https") ? https : http).request(url, { method: "POST", headers }, (reply) => {
    reply.resume().on("end", () => done(reply.statusCode));
  });
  request.on("error", fail).end(body);
});
const statuses = {};
for (const [ask, asked] of [[byFetch, urls], [byHttp, some]])
  for (const url of asked) {
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
urls, body = json.loads(os.environ["SOME"]), os.environ["BODY"].encode()
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

/** Addresses of models: known providers, other providers, gateways, and private hosts. */
const PROVIDER_URLS = readFileSync(join(import.meta.dirname, "provider-urls.txt"), "utf8")
  .trim()
  .split("\n");
/** All clients have one list of hosts, so the second client and the second language ask a part of them. */
const SOME = casesOf({ quick: PROVIDER_URLS.filter((_, at) => at % 8 === 0), long: PROVIDER_URLS });

async function ask(
  command: readonly string[],
  options: readonly string[] = [],
): Promise<Outcome & { readonly code: number | null; readonly stderr: string }> {
  const cwd = aProject({ "ask.mjs": NODE, "ask.py": PYTHON });
  const env = { URLS: JSON.stringify(PROVIDER_URLS), SOME: JSON.stringify(SOME), BODY };
  const { code, stdout, stderr } = await tapedeck(["run", ...options, "--", ...command], { cwd, env });
  return { ...(JSON.parse(stdout) as Outcome), code, stderr };
}

const node = [process.execPath, "ask.mjs"];

describe("a strict run, of calls to models at addresses in code", () => {
  test("sends none out, from fetch and from node:http", async () => {
    const { attempts, statuses, code, stderr } = await ask(node);

    expect(attempts).toEqual([]);
    const misses = Object.entries(statuses).filter(([status]) => status === "404");
    expect(misses.reduce((sum, [, count]) => sum + count, 0)).toBe(PROVIDER_URLS.length + SOME.length);
    expect(code).toBe(3);
    expect(stderr).toContain(`${PROVIDER_URLS.length + SOME.length} missing`);
  });

  itLong("would send them all without the guard", async () => {
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

/** Calls a model by hand, over node:net and over a separate TLS connection. */
const BY_HAND = `
import net from "node:net";
import tls from "node:tls";
const { hostname: host, port } = new URL(process.env.ORIGIN);
const ask = (socket) => new Promise((done) => {
  socket.on("data", (piece) => done("answered " + piece)).on("error", (error) => done(error.message));
  socket.write("POST /v1/chat/completions HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 2\\r\\n\\r\\n{}");
});
console.log(await ask(net.connect(port, host)));
console.log(await ask(tls.connect({ socket: net.connect(port, host), servername: "gateway.example" })));
`;

describe.skipIf(outside === undefined)("a host outside with models and more (needs a network)", () => {
  test("is asked no model in a strict run, whose report counts the rest; is recorded under its own name, and replayed", async () => {
    const gateway = await aGateway();
    const cwd = aProject({ "ask.mjs": ASKING });
    const run = (...options: readonly string[]) =>
      tapedeck(["run", ...options, "--", ...node], { cwd, env: { ORIGIN: gateway.origin } });

    const { stdout, stderr, code } = await run();
    const strict = [...gateway.requests];
    const recorded = await run("--mode", "record");
    const replayed = await run();

    expect(strict).toEqual(["GET /health", "GET /health", "POST /v1/messages"]);
    expect(stdout.trim().split("\n")).toEqual(["200 fine", "404", "200 fine", "200 fine"]);
    expect(stderr).toContain(`connections to ${new URL(gateway.origin).host} were not model calls.`);
    expect(code).toBe(3);
    expect(recorded.stdout.split("\n")[1]).toBe("200");
    expect(gateway.requests.filter((request) => request.includes("completions"))).toHaveLength(1);
    expect(replayed.stderr).toContain("0 missing");
  });

  test("is reached only if the project allows it when the run blocks the network", async () => {
    const [allowed, other] = [await aGateway(), await aGateway()];
    const { host } = new URL(other.origin);
    const cwd = aProject({
      "allowed.mjs": ASKING,
      "ask.mjs": `${BY_HAND}
console.log(await fetch(process.env.ORIGIN + "/health").catch((error) => String(error.cause)));
process.env.ORIGIN = process.env.ALLOWED;
await import("./allowed.mjs");`,
      "tapedeck.jsonc": JSON.stringify({ allowHosts: [new URL(allowed.origin).host] }),
    });
    const env = { ORIGIN: other.origin, ALLOWED: allowed.origin };

    const { stdout, stderr } = await tapedeck(["run", "--block-network", "--", ...node], { cwd, env });

    expect(other.requests).toEqual([]);
    expect(stdout).toContain('add it to "allowHosts" in tapedeck.jsonc');
    expect(stderr).toContain(`3 connections to ${host} refused (--block-network).`);
    expect(allowed.requests).toEqual(["GET /health", "GET /health", "POST /v1/messages"]);
    expect(stdout.trim().split("\n").slice(-4)).toEqual(["200 fine", "404", "200 fine", "200 fine"]);
  });
});

/** Calls a model between two requests that call none, over one session. */
const OVER_HTTP2 = `
import http2 from "node:http2";
const session = http2.connect(process.env.ORIGIN, { rejectUnauthorized: false });
session.on("error", (error) => console.log("session", error.message));
const ask = async (method, path, body) => {
  const stream = session.request({ ":method": method, ":path": path, "content-type": "application/json" });
  stream.end(body);
  const { ":status": status } = await new Promise((done, fail) => stream.on("response", done).on("error", fail));
  let text = "";
  for await (const piece of stream) text += piece;
  console.log(status, text.slice(0, 4));
};
const get = () => (process.env.ONLY_MODELS ? undefined : ask("GET", "/health"));
await get();
await ask("POST", "/v1/chat/completions", JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }));
await get();
process.exit(0);
`;

const BY_HAND_IN_PYTHON = `
import asyncio, os, socket
from urllib.parse import urlsplit
at = urlsplit(os.environ["ORIGIN"])
REQUEST = b"POST /v1/chat/completions HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 2\\r\\n\\r\\n{}"
def by_socket():
    sock = socket.create_connection((at.hostname, at.port))
    sock.sendall(REQUEST)
    return sock.recv(99)
async def by_asyncio():
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    writer.write(REQUEST)
    return await reader.read(99)
for ask in (by_socket, lambda: asyncio.run(by_asyncio())):
    try:
        print("answered", ask())
    except Exception as error:
        print(error)
`;

const BY_HAND_PROGRAMS: readonly (readonly [string, string, string])[] = [
  ["Node", "ask.mjs", `${BY_HAND}process.exit(0);`],
  ...(hasPython ? [["Python", "ask.py", BY_HAND_IN_PYTHON] as const] : []),
];

describe.skipIf(outside === undefined)("a host outside, by unusual clients (needs a network)", () => {
  const run = async (
    file: string,
    text: string,
    { options = [], env }: { readonly options?: readonly string[]; readonly env: Record<string, string> },
  ) => {
    const cwd = aProject({ [file]: text });
    const command = file.endsWith(".py") ? ["python3", file] : [process.execPath, file];
    return { cwd, ...(await tapedeck(["run", ...options, "--", ...command], { cwd, env })) };
  };

  const anHttp2Gateway = async () => {
    const requests: string[] = [];
    const server = createHttp2Server((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(request.url.includes("completions") ? COMPLETION : "fine");
    });
    server.listen(0, outside);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return { origin: `http://${outside}:${(server.address() as AddressInfo).port}`, requests };
  };

  test("is asked no model over node:http2 in a strict run, and answers the rest", async () => {
    const { origin, requests } = await anHttp2Gateway();

    const { stdout, stderr, code } = await run("ask.mjs", OVER_HTTP2, { env: { ORIGIN: origin } });

    expect(requests).toEqual(["GET /health", "GET /health"]);
    expect(stdout).toMatch(/^200 fine\n404 .*\n200 fine\n$/);
    expect(stderr).toContain("1 missing");
    expect(code).toBe(3);
  });

  itLong("is recorded over node:http2, and replayed once it is out of reach", async () => {
    const gateway = await aGateway();
    const env = { ORIGIN: gateway.origin, ONLY_MODELS: "1" };
    const recorded = await run("ask.mjs", OVER_HTTP2, { options: ["--mode", "record"], env });
    const { cwd } = recorded;
    const replayed = await tapedeck(["run", "--block-network", "--", process.execPath, "ask.mjs"], {
      cwd,
      env,
    });

    expect(recorded.stderr).toContain("1 recorded");
    expect(replayed.stdout).toContain("200 ");
    expect(replayed.stderr).toContain("1 replayed · 0 missing");
    expect(gateway.requests.filter((request) => request.includes("completions"))).toHaveLength(1);
  });

  test.each(BY_HAND_PROGRAMS)(
    "is asked no model by hand from %s in a strict run, which names it",
    async (_, file, text) => {
      const gateway = await aGateway();

      const { stdout, stderr, code } = await run(file, text, { env: { ORIGIN: gateway.origin } });

      expect(gateway.requests).toEqual([]);
      expect(stdout).not.toContain("answered");
      expect(stderr).toContain(`A call to ${new URL(gateway.origin).host}`);
      expect(stderr.match(/writes HTTP directly to a socket/g)?.length).toBeGreaterThan(0);
      expect(code).toBe(3);
    },
  );

  itLong.skipIf(!hasPython)(
    "is connected to by nothing from Python when the run blocks the network",
    async () => {
      const gateway = await aGateway();
      const options = ["--block-network"];

      const { stderr } = await run("ask.py", BY_HAND_IN_PYTHON, { options, env: { ORIGIN: gateway.origin } });

      expect(gateway.requests).toEqual([]);
      expect(stderr).toContain(`2 connections to ${new URL(gateway.origin).host} refused (--block-network).`);
    },
  );
});
