import { afterEach, beforeEach, expect, test } from "vitest";
import type { GuardNote } from "../../src/server/guard-notes.ts";
import { listen, type ReplayServer } from "../../src/server/server.ts";
import { anEngine, aRun } from "../support/an-engine.ts";
import { send } from "../support/http-client.ts";

let under: ReturnType<typeof anEngine>;
let server: ReplayServer;
let url: string;
let notes: GuardNote[];

beforeEach(async () => {
  under = anEngine();
  notes = [];
  server = await listen({ engine: under.engine, roots: ["/workspace"], onGuard: (note) => notes.push(note) });
  url = server.admit(aRun("record"), "token-of-the-test").url;
});

afterEach(() => server.close());

const BODY = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] });

const chat = (headers: Readonly<Record<string, string>>, base = url) =>
  send(`${base}/openai/v1/chat/completions`, {
    body: BODY,
    headers: { "content-type": "application/json", ...headers },
  });

const preflight = (headers: Readonly<Record<string, string>>, base = url) =>
  send(`${base}/openai/v1/chat/completions`, {
    method: "OPTIONS",
    headers: {
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
      ...headers,
    },
  });

test.each([
  ["happy-dom and jsdom", { origin: "http://localhost:3000" }],
  ["an address of this machine", { origin: "http://127.0.0.1:8080" }],
  ["IPv6", { origin: "https://[::1]:8443" }],
  ["an environment without an address", { origin: "null" }],
  ["happy-dom's blank page", { origin: "about:blank" }],
  [
    "a browser with a page of this machine",
    { origin: "http://localhost:5173", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
  ],
])("a page of a test may call and read the reply: %s", async (_, headers) => {
  const allowed = await preflight(headers);
  const reply = await chat(headers);

  expect(allowed).toMatchObject({
    status: 204,
    headers: {
      "access-control-allow-origin": headers.origin,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization,content-type",
    },
  });
  expect(reply).toMatchObject({
    status: 200,
    headers: {
      "x-tapedeck-outcome": "recorded",
      "access-control-allow-origin": headers.origin,
      "access-control-allow-credentials": "true",
    },
  });
  expect(reply.headers["access-control-expose-headers"]).toContain("x-tapedeck-outcome");
  expect(under.events).toHaveLength(1);
  expect(server.requests).toBe(1);
});

test("a page reads a miss, too, and a replay for another client has no header of a page", async () => {
  const page = { origin: "http://localhost:3000" };
  const missed = await chat(page, server.admit(aRun("strict")).url);
  await chat({});
  const ofPage = await chat(page, server.admit(aRun("strict")).url);
  const plain = await chat({}, server.admit(aRun("strict")).url);

  expect(missed).toMatchObject({ status: 404, headers: { "access-control-allow-origin": page.origin } });
  expect(ofPage.headers).toMatchObject({
    "x-tapedeck-outcome": "replayed",
    "access-control-allow-origin": page.origin,
  });
  expect(Object.keys(plain.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test.each([
  ["a foreign page", { origin: "https://evil.example" }],
  ["a name that begins like this machine's", { origin: "http://localhost.evil.example" }],
  ["an address that begins like this machine's", { origin: "http://127.0.0.1.evil.example" }],
  ["two origins", { origin: "http://localhost:3000, https://evil.example" }],
  ["a sandboxed frame", { origin: "null", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }],
  ["a link or an image of a page", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
])("%s is refused with its preflight, is not forwarded, and its run is notified", async (_, headers) => {
  const replies = [await preflight(headers), await chat(headers)];

  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 403, headers: { "x-tapedeck-outcome": "refused" } });
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  }
  expect(under.events).toEqual([]);
  expect(under.sent).toEqual([]);
  expect(notes).toMatchObject([
    { kind: "passed", host: "openai", reason: expect.stringContaining("it comes from") as string },
    { kind: "passed", fix: expect.stringContaining("http://localhost") as string },
  ]);
});

test("a page of this machine without the token is refused, and no run is notified", async () => {
  const page = { origin: "http://localhost:3000" };
  const wrong = `${server.origin}/another-token`;
  const replies = [await preflight(page, wrong), await chat(page, wrong)];

  for (const reply of replies) {
    expect(reply.status).toBe(403);
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  }
  expect(notes).toEqual([]);
});
