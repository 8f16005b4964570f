import { describe, expect, it } from "vitest";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { listGuardedHosts, isGuarded, findRoute } from "../../src/core/protocol/origin.ts";
import { readOwnUpstreams } from "../../src/core/protocol/own-upstreams.ts";
import type { GuardNote } from "../../src/server/guard-notes.ts";
import { anEngine } from "../support/an-engine.ts";
import { send } from "../support/http-client.ts";
import { aListeningServer, chatTo, TOKEN } from "./a-listening-server.ts";

const providers = createProviders();

function connectTo(host: string, token = TOKEN): string {
  return `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Bearer ${token}\r\n\r\n`;
}

async function aServer() {
  const engine = anEngine();
  const notes: GuardNote[] = [];
  return {
    ...(await aListeningServer({ providers, onGuard: (note) => notes.push(note) }, engine)),
    engine,
    notes,
  };
}

describe("a connection that was meant for a provider", () => {
  it("is answered as the same call through the base-URL variable, call after call", async () => {
    const { open, chat, engine } = await aServer();
    await chat();
    const { socket, next } = await open(connectTo("api.openai.com:443"));
    expect(await next()).toMatch(/^HTTP\/1\.1 200 /);

    for (const outcome of ["recorded", "recorded"]) {
      socket.write(chatTo("api.openai.com"));
      expect(await next()).toContain(`x-tapedeck-outcome: ${outcome}`);
    }

    const [variable, first] = engine.events;
    expect(first?.key).toBe(variable?.key);
    expect(engine.sent.map(({ url }) => url)).toEqual(
      Array.from({ length: 3 }, () => "https://api.openai.com/v1/chat/completions"),
    );
  });

  it("may bring its first request along with the words that ask for it", async () => {
    const { open, engine } = await aServer();

    const { told, socket } = await open(connectTo("api.openai.com:443") + chatTo("api.openai.com"));
    socket.end();

    expect(await told).toContain("x-tapedeck-outcome: recorded");
    expect(engine.events).toHaveLength(1);
  });

  it("is forwarded to the host that its client chose, with its signature", async () => {
    const { open, engine } = await aServer();
    const host = "bedrock-runtime.eu-west-1.amazonaws.com";
    const { socket, next } = await open(connectTo(`${host}:443`));
    await next();

    socket.write(chatTo(host, "/model/m/invoke", "authorization: AWS4-HMAC-SHA256 x"));
    await next();

    expect(engine.sent.map(({ url, mayBePrivate }) => [url, mayBePrivate])).toEqual([
      [`https://${host}/model/m/invoke`, false],
    ]);
    expect(engine.events[0]).toMatchObject({ provider: "bedrock", outcome: "recorded" });
  });

  it.each([
    ["without a token", "CONNECT api.openai.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["with a wrong token", connectTo("api.openai.com:443", "wrong"), 407],
    ["to the host of an unknown provider", connectTo("example.com:443"), 403],
    ["to a host that only looks like one", connectTo("api.openai.com.example.com:443"), 403],
    ["to no address", connectTo("nonsense"), 403],
  ])("is turned away %s, and nothing is sent", async (_, words, status) => {
    const { open, engine } = await aServer();

    const { told } = await open(words + chatTo("api.openai.com"));

    expect(await told).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(engine.events).toEqual([]);
  });
});

it("begins with a client's own TLS: that is refused and reported with the host", async () => {
  const { open, notes } = await aServer();
  const { socket, told, next } = await open(connectTo("api.openai.com:443"));
  await next();

  socket.write(Buffer.from("16030100050100000100", "hex"));

  expect((await told).slice(-7)).toBe("\x15\x03\x03\0\x02\x02\x28");
  expect(notes).toMatchObject([
    {
      kind: "passed",
      host: "api.openai.com:443",
      reason: expect.stringContaining("sets up TLS in its own way"),
    },
  ]);
});

describe("reports of hooks", () => {
  it("is a note of the run, and no request", async () => {
    const { server, notes } = await aServer();
    const url = `${server.origin}/${TOKEN}/@guard`;
    const get = { method: "GET" };

    await send(`${url}/hello?pid=12&command=node%20x.js`, get);
    await send(`${url}/passed?pid=12&command=c&host=api.openai.com&reason=http2`, get);
    await send(`${url}/mocked?pid=12&command=c&by=nock`, get);
    await send(`${url}/elsewhere?pid=12&command=c&host=gateway.example`, get);
    await send(`${url}/passed?pid=12&command=c`, get);
    const mode = await send(`${url}/mode`, get);

    expect(notes.map(({ kind }) => kind)).toEqual(["hello", "passed", "mocked", "elsewhere"]);
    expect(notes[1]).toMatchObject({ pid: 12, host: "api.openai.com", reason: "http2" });
    expect(JSON.parse(mode.text)).toEqual({ mode: "record", leaves: true });
    expect(server.requests).toBe(0);
  });

  it("under a wrong token is nothing", async () => {
    const { server, notes } = await aServer();

    const reply = await send(`${server.origin}/wrong/@guard/hello?pid=1`, { method: "GET" });

    expect([reply.status, notes]).toEqual([403, []]);
  });
});

describe("the hosts of providers", () => {
  const at = (host: string, port = 443) => ({ host, port });

  it.each([
    ["api.openai.com", "/v1/responses", "openai"],
    ["eu.api.openai.com", "/v1/responses", "openai"],
    ["mine.openai.azure.com", "/openai/deployments/d/chat/completions?api-version=1", "azure"],
    ["mine.services.ai.azure.com", "/openai/v1/chat/completions", "azure"],
    ["mine.services.ai.azure.com", "/anthropic/v1/messages", "foundry"],
    ["aws-external-anthropic.us-east-1.api.aws", "/v1/messages", "anthropic"],
    ["bedrock-mantle.us-east-1.api.aws", "/anthropic/v1/messages", "anthropic"],
    ["bedrock-mantle.us-east-1.api.aws", "/v1/chat/completions", "openai"],
    ["claude.googleapis.com", "/v1alpha/projects/p/locations/l/workspaces/w/invoke/v1/messages", "vertex"],
    ["europe-west4-aiplatform.googleapis.com", "/v1/projects/p", "vertex"],
    ["bedrock-runtime.us-east-1.amazonaws.com", "/model/m/converse", "bedrock"],
    ["api.together.xyz", "/v1/chat/completions", "together"],
  ])("%s%s is %s, at the address that the client chose", (host, path, provider) => {
    expect(findRoute(at(host), path, providers)).toEqual({ provider, path, origin: `https://${host}` });
  });

  it("of a gateway that the environment names gives the call that its variable gives", () => {
    const own = readOwnUpstreams({ OPENAI_BASE_URL: "https://openrouter.ai/api/v1" });
    const table = createProviders({}, own);

    expect(findRoute(at("openrouter.ai"), "/api/v1/chat/completions", table)).toEqual({
      provider: "openai",
      path: "/v1/chat/completions",
    });
    expect(findRoute(at("api.openai.com"), "/v1/chat/completions", table)).toMatchObject({
      origin: "https://api.openai.com",
    });
  });

  it("yield to a gateway that the user configured, and not to another resource", () => {
    const table = createProviders({
      openai: "https://gateway.example/openai",
      azure: "https://one.openai.azure.com",
    });

    expect(findRoute(at("api.openai.com"), "/v1/models", table)).toEqual({
      provider: "openai",
      path: "/v1/models",
    });
    expect(findRoute(at("two.openai.azure.com"), "/openai/x", table)).toMatchObject({
      origin: "https://two.openai.azure.com",
    });
    expect(findRoute(at("gateway.example"), "/openai/v1/models", table)).toEqual({
      provider: "openai",
      path: "/v1/models",
    });
  });

  it("of a gateway that the environment names stay known when another one is named to Tapedeck", () => {
    const own = readOwnUpstreams({ OPENAI_BASE_URL: "https://gateway.example/api/v1" });
    const table = createProviders({ openai: "https://other.example" }, own);

    expect(listGuardedHosts(table).hosts).toContain("gateway.example:443");
    for (const [host, path] of [
      ["gateway.example", "/api/v1/models"],
      ["other.example", "/v1/models"],
    ] as const)
      expect(findRoute(at(host), path, table)).toEqual({ provider: "openai", path: "/v1/models" });
  });

  it("are listed for the hooks by how they are spoken to", () => {
    const { hosts, plain } = listGuardedHosts(createProviders({ mine: "http://10.0.0.7:8000" }));

    expect(hosts).toEqual(expect.arrayContaining(["api.openai.com", "*.openai.azure.com"]));
    expect(plain).toEqual(expect.arrayContaining(["127.0.0.1:11434", "localhost:11434", "10.0.0.7:8000"]));
    expect(isGuarded(at("10.0.0.7", 8000), createProviders({ mine: "http://10.0.0.7:8000" }))).toBe(true);
    expect(isGuarded(at("evil.com"), providers)).toBe(false);
  });
});
