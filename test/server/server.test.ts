import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { listen, type ReplayServer } from "../../src/server/server.ts";
import { anEngine, aRun, chatEvent, chatReply, DONE, streamReply } from "../support/an-engine.ts";
import { aRecording } from "../support/a-recording.ts";
import { send, type HttpRequest } from "../support/http-client.ts";
import { openAt } from "./a-listening-server.ts";

const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };
const JSON_TYPE = { "content-type": "application/json" };

let under: ReturnType<typeof anEngine>;
let server: ReplayServer;
let url: string;

beforeEach(async () => {
  under = anEngine(({ body }) =>
    Buffer.from(body).includes("stream") ? streamReply([chatEvent("hi"), DONE]) : chatReply("hello"),
  );
  server = await listen({ engine: under.engine, roots: ["/workspace"] });
  url = server.admit(aRun("record"), "token-of-the-test").url;
});

afterEach(() => server.close());

const chat = (options: HttpRequest = {}, base = url) =>
  send(`${base}/openai/v1/chat/completions`, {
    body: JSON.stringify(CHAT),
    ...options,
    headers: { ...JSON_TYPE, ...options.headers },
  });

test("a call over HTTP gets its answer with outcome and entry", async () => {
  const recorded = await chat();
  const replayed = await chat({}, server.admit(aRun("strict")).url);

  expect(recorded).toMatchObject({
    status: 200,
    headers: { "x-tapedeck-outcome": "recorded", "content-type": "application/json" },
  });
  expect(replayed.headers["x-tapedeck-outcome"]).toBe("replayed");
  expect(replayed.headers["x-tapedeck-entry"]).toMatch(/^calls\/openai\/[0-9a-f]{2}\/[0-9a-f]{64}\.json$/);
  expect(replayed.text).toBe(recorded.text);
  expect(server.requests).toBe(2);
});

test("an answer that is recorded already is sent in one piece, and so is a replay", async () => {
  const recorded = await chat();
  const streamed = await chat({ body: JSON.stringify({ ...CHAT, stream: true }) });
  const replayed = await chat({}, server.admit(aRun("strict")).url);

  const length = String(Buffer.byteLength(recorded.text));
  expect(recorded.headers["content-length"]).toBe(length);
  expect(replayed.headers["content-length"]).toBe(length);
  expect(streamed.headers).toMatchObject({
    "x-tapedeck-outcome": "recorded",
    "content-length": String(Buffer.byteLength(streamed.text)),
  });
});

test("a strict run under another token misses a call that the first run records", async () => {
  const strict = server.admit(aRun("strict"));

  const missed = await chat({}, strict.url);

  expect(missed.status).toBe(404);
  expect(missed.headers).toMatchObject({
    "x-tapedeck-outcome": "miss",
    "x-should-retry": "false",
    "content-type": "application/json",
  });
  expect(JSON.parse(missed.text)).toMatchObject({
    error: { type: "tapedeck_miss", code: "tapedeck_miss", param: null },
  });
  expect(strict.token).toMatch(/^[\w-]{22,}$/);
  expect(under.sent).toEqual([]);
});

test.each([
  ["a foreign Host", { host: "evil.example" }, 403],
  ["a Host with another port", { host: "127.0.0.1:1" }, 403],
  ["a foreign Origin", { origin: "https://evil.example" }, 403],
  ["the metadata of a page", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, 403],
  ["the metadata of a navigation", { "sec-fetch-mode": "navigate" }, 403],
])("%s is refused and not sent", async (_, headers, status) => {
  const reply = await chat({ headers });

  expect(reply.status).toBe(status);
  expect(reply.headers["x-tapedeck-outcome"]).toBe("refused");
  expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  expect(under.events).toEqual([]);
  expect(under.sent).toEqual([]);
});

/** Sends raw bytes and returns the server's reply, until it closes the connection. */
const sendRaw = async (bytes: string): Promise<string> => (await openAt(server.port, bytes)).told;

test.each([
  [
    "headers without end",
    `GET / HTTP/1.1\r\n${`x-filler: ${"a".repeat(1_000)}\r\n`.repeat(40)}`,
    431,
    "32 KiB",
  ],
  ["what is not HTTP", "hello there\r\n\r\n", 400, "not HTTP"],
  [
    "two lengths",
    "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    400,
    "not HTTP",
  ],
  [
    "a length and chunks",
    "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
    "not HTTP",
  ],
])("%s are refused with an outcome and a reason", async (_, bytes, status, reason) => {
  const reply = await sendRaw(bytes);

  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(reply).toMatch(/^x-tapedeck-outcome: refused\r$/m);
  expect(reply).toContain(reason);
  expect((await chat()).status).toBe(200);
});

test("a client that closes its connection within a request is answered, and not reported", async () => {
  const refusals: string[] = [];
  const onRefusal = ({ message }: Error): void => void refusals.push(message);
  const own = await listen({ engine: under.engine, roots: ["/workspace"], onRefusal });
  onTestFinished(() => own.close());
  const { host, pathname } = new URL(own.admit(aRun("strict")).url);
  const head = `POST ${pathname}/openai/v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 9\r\n\r\n`;

  const { socket, told } = await openAt(own.port, `${head}{`);
  socket.end();

  expect(await told).toMatch(/^HTTP\/1\.1 400 [^]*its client closed the connection first/);
  expect(refusals).toEqual([]);
});

test.each([
  [
    "an invalid handshake",
    "upgrade: websocket\r\nsec-websocket-version: 8",
    400,
    "not a valid handshake of a WebSocket",
  ],
  ["another upgrade, which is ignored", "upgrade: h2c", 200, "hello"],
])("%s is answered over HTTP", async (_, lines, status, content) => {
  const path = new URL(`${url}/openai/v1/chat/completions`).pathname;
  const body = JSON.stringify(CHAT);
  const reply = await sendRaw(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
      `connection: upgrade, close\r\n${lines}\r\n\r\n${body}`,
  );

  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(reply).toContain(content);
});

test.each(["/v1/../v2/x", "/v1/%2e%2E/x", "/./x", "/..", "/v1/..\\x"])(
  "the path %s is refused and not sent",
  async (path) => {
    const prefix = new URL(`${url}/openai`).pathname;

    const reply = await sendRaw(
      `GET ${prefix}${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: close\r\n\r\n`,
    );

    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toMatch(/^x-tapedeck-outcome: refused\r$/m);
    expect(under.sent).toEqual([]);
  },
);

test("a request without a Host is refused like one with a foreign Host", async () => {
  const reply = await sendRaw(
    "GET /token-of-the-test/openai/v1/models HTTP/1.1\r\nconnection: close\r\n\r\n",
  );

  expect(reply).toMatch(/^HTTP\/1\.1 403 /);
  expect(reply).toMatch(/^x-tapedeck-outcome: refused\r$/m);
  expect(under.sent).toEqual([]);
});

test.each(["wrong", "token-of-the-tes", "token-of-the-test2", "", "..%2f"])(
  "the token %o is refused",
  async (token) => {
    const reply = await chat({}, `${server.origin}/${token}`);

    expect(reply.status).toBe(403);
    expect(reply.headers["x-tapedeck-outcome"]).toBe("refused");
    expect(under.sent).toEqual([]);
  },
);

test("an unknown provider and a missing one are refused with the known names", async () => {
  const unknown = await send(`${url}/nobody/v1/x`, { body: "{}" });
  const none = await send(url + "/", { body: "{}" });
  const bare = await send(url, { body: "{}" });

  expect([unknown.status, none.status, bare.status]).toEqual([404, 404, 404]);
  expect(unknown.headers["x-tapedeck-outcome"]).toBe("refused");
  expect(unknown.text).toContain("openai");
});

test("a token that extends one of the maximum length is refused", async () => {
  const { url: own } = server.admit(aRun("strict"), "t".repeat(256));

  const [right, longer] = [await chat({}, own), await chat({}, `${own}t`)];

  expect([right.status, longer.status]).toEqual([404, 403]);
});

test("the token of the address is a credential too: an answer to a prompt that contains it is not recorded", async () => {
  const body = JSON.stringify({
    ...CHAT,
    messages: [{ role: "user", content: `My server is ${url}/openai` }],
  });

  const told = await chat({ body });
  const again = await chat({ body }, server.admit(aRun("strict")).url);

  expect([told.status, told.headers["x-tapedeck-outcome"]]).toEqual([200, "forwarded"]);
  expect(again.headers["x-tapedeck-outcome"]).toBe("miss");
  expect(under.warnings).toEqual([
    expect.stringContaining("the request body contains the credential that the call sent in its address"),
  ]);
});

test("a token that called before is refused once it is revoked, and given again it is another run's", async () => {
  const first = server.admit(aRun("record"), "given-twice");
  await chat({}, first.url);

  first.revoke();
  const revoked = await chat({}, first.url);
  const second = server.admit(aRun("strict"), "given-twice");
  const again = await chat({}, second.url);
  const third = server.admit(aRun("strict"), "given-twice");
  await chat({}, third.url);

  expect([revoked.status, again.headers["x-tapedeck-outcome"]]).toEqual([403, "replayed"]);
  expect([first, second, third].map(({ requests }) => requests)).toEqual([1, 1, 1]);
});

test("a body over the limit gets 413, by its length and by its decoded size, and the next call is served", async () => {
  const large = Buffer.alloc(64 * 1_048_576 + 1, 0x20);

  const declared = await chat({ body: large }).catch((error: NodeJS.ErrnoException) => error);
  const bomb = await chat({ body: gzipSync(large), headers: { "content-encoding": "gzip" } });

  expect(declared).toMatchObject({ status: 413, headers: { "x-tapedeck-outcome": "refused" } });
  expect(bomb.status).toBe(413);
  expect((await chat()).status).toBe(200);
});

test("a compressed body is the same call as a plain one", async () => {
  await chat();

  const strict = server.admit(aRun("strict")).url;
  const zipped = await chat(
    { body: gzipSync(JSON.stringify(CHAT)), headers: { "content-encoding": "gzip" } },
    strict,
  );

  expect(zipped.headers["x-tapedeck-outcome"]).toBe("replayed");
});

test("a broken body is refused in the provider's shape", async () => {
  const broken = await chat({ body: "{" });
  const notGzip = await chat({ headers: { "content-encoding": "gzip" } });
  const anthropic = await send(`${url}/anthropic/v1/messages`, { headers: JSON_TYPE, body: "{" });

  expect(broken.status).toBe(400);
  expect(JSON.parse(broken.text)).toMatchObject({ error: { code: "tapedeck_bad_request" } });
  expect(notGzip.status).toBe(400);
  expect(JSON.parse(anthropic.text)).toMatchObject({
    type: "error",
    error: { type: "tapedeck_bad_request" },
  });
});

test("the attribution header names the test and is not forwarded", async () => {
  const attribution = { v: 1, runner: "vitest", file: "/workspace/a.test.ts", name: ["greets"], line: 3 };
  const header = { "x-tapedeck-test": encodeURIComponent(JSON.stringify(attribution)) };

  await chat({ headers: header });
  const strict = server.admit(aRun("strict")).url;
  const broken = await chat({ headers: { "x-tapedeck-test": "%E0%A4%A" } }, strict);

  expect(under.events[0]).toMatchObject({ test: { file: "a.test.ts", name: ["greets"], line: 3 } });
  expect(under.sent[0]?.headers.map(([name]) => name)).not.toContain("x-tapedeck-test");
  expect(broken.headers["x-tapedeck-outcome"]).toBe("replayed");
});

test("a run's own test is used for calls that name none", async () => {
  const own = { file: "b.test.ts", name: ["own"] };
  const admission = server.admit(aRun("record", own));

  await chat({}, admission.url);

  expect(under.events[0]).toMatchObject({ test: own });
});

test("a reply that no header can announce breaks off its call alone", async () => {
  const { url: strict } = server.admit(aRun("strict"));
  const contentType = "application/json\r\nx-tapedeck-outcome: live";
  await under.store.save(aRecording({ question: "hi", reply: { contentType } }));

  for (const connection of ["close", "keep-alive", "keep-alive"])
    await expect(chat({ headers: { connection } }, strict)).rejects.toThrow("socket hang up");

  expect((await chat({ body: JSON.stringify({ ...CHAT, seed: 1 }) })).status).toBe(200);
});

test("a port in use is reported in words", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;

  await expect(listen({ engine: under.engine, port })).rejects.toThrow(
    `127.0.0.1:${port}: another program uses it`,
  );

  taken.close();
});

test("the server is not reachable on another address of this machine", async () => {
  await expect(send(`http://127.0.0.2:${server.port}/`, { method: "GET" })).rejects.toThrow("ECONNREFUSED");
});
