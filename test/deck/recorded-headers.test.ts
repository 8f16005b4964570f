import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Mode } from "../../src/core/call/call.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { COMPLETION } from "../support/a-completion.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";

const RATE_LIMIT = { error: { message: "slow down", type: "rate_limit", param: null, code: "rate_limit" } };
const ASKED = { model: "m", messages: [{ role: "user" as const, content: "Say hi" }] };
const SECRET = `sk-proj-${"Ab3dEf9hIj".repeat(5)}`;

interface ProviderReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A folder, and a provider that sends these replies in turn; `serve` returns the address of a run in a mode. */
async function aProvider(said: readonly ProviderReply[], config = "") {
  const root = aFolder();
  const dir = join(root, ".tapedeck");
  if (config !== "") writeFileSync(join(root, "tapedeck.jsonc"), config);
  const asked: string[] = [];
  const upstream = await aServer((request, response) => {
    request.resume().on("end", () => {
      asked.push(`${request.method} ${request.url}`);
      say(response, said[asked.length - 1] ?? {});
    });
  });
  const serve = async (mode: Mode, options: { readonly recordErrors?: boolean } = {}): Promise<string> => {
    const upstreams = { openai: upstream, anthropic: upstream, gemini: upstream };
    const deck = openDeck({ dir, upstreams, ...options });
    onTestFinished(() => deck.close());
    const server = await deck.listen();
    return server.admit(deck.createRun(mode)).url;
  };
  return { dir, asked, upstream, serve };
}

function say(
  response: ServerResponse,
  { status = 200, headers = {}, body = COMPLETION }: ProviderReply,
): void {
  const text = body === "" ? "" : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

const openaiAt = (url: string): OpenAI =>
  new OpenAI({ apiKey: "sk-of-the-test", baseURL: `${url}/openai/v1`, maxRetries: 0 });

describe("headers of a reply that clients read", () => {
  it("are replayed, and nothing of cookies, keys and secrets is kept", async () => {
    const headers = {
      "x-request-id": "req_1",
      "x-ratelimit-remaining-requests": "41",
      "openai-organization": "somebody",
      "set-cookie": "session=1",
      "openai-version": "sk-of-the-test",
      "x-ratelimit-note": SECRET,
    };
    const { dir, serve } = await aProvider([{ headers }]);
    const recorded = await openaiAt(await serve("record"))
      .chat.completions.create(ASKED)
      .withResponse();

    const replayed = await openaiAt(await serve("strict"))
      .chat.completions.create(ASKED)
      .withResponse();

    expect(replayed.request_id).toBe("req_1");
    expect(replayed.response.headers.get("x-ratelimit-remaining-requests")).toBe("41");
    const entry = recorded.response.headers.get("x-tapedeck-entry") ?? "";
    const file = readFileSync(join(dir, entry), "utf8");
    expect(JSON.parse(file).reply.headers).toEqual({
      "x-request-id": "req_1",
      "x-ratelimit-remaining-requests": "41",
    });
    for (const left of ["somebody", "session", "sk-of-the-test", SECRET]) expect(file).not.toContain(left);
  });

  it("are Anthropic's own for Anthropic, and those that a project leaves out are not kept", async () => {
    const headers = { "request-id": "req_2", "anthropic-ratelimit-tokens-limit": "9", "retry-after": "1" };
    const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: {} };
    const body = { ...message, stop_reason: "end_turn" };
    const { serve } = await aProvider(
      [{ headers, body }],
      '{ "record": { "withoutHeaders": ["Anthropic-RateLimit-*"] } }',
    );
    const ask = async (url: string) =>
      new Anthropic({ apiKey: "k", baseURL: `${url}/anthropic`, maxRetries: 0 }).messages
        .create({ ...ASKED, max_tokens: 1 })
        .withResponse();
    await ask(await serve("record"));

    const { request_id: id, response } = await ask(await serve("strict"));

    expect(id).toBe("req_2");
    expect(response.headers.get("retry-after")).toBe("0");
    expect(response.headers.get("anthropic-ratelimit-tokens-limit")).toBeNull();
  });

  it.each([
    [
      "a secret of a known kind in URL escapes",
      encodeURIComponent(
        ["https://hooks.slack.com/services/T0K9D2MX7PQ", "B4T8Q1ZR6WV", "q7WxB2nLs9Kd4TzVy8Hm3RpF"].join("/"),
      ),
    ],
    ["the key of the call in base64", Buffer.from("with sk-of-the-test as key").toString("base64")],
  ])("are not kept if one holds %s", async (_, held) => {
    const headers = { location: `/v1/files/${held}`, "x-request-id": "req_1" };
    const { dir, serve } = await aProvider([{ headers }]);
    const { response } = await openaiAt(await serve("record"))
      .chat.completions.create(ASKED)
      .withResponse();

    const file = readFileSync(join(dir, response.headers.get("x-tapedeck-entry") ?? ""), "utf8");
    expect(JSON.parse(file).reply.headers).toEqual({ "x-request-id": "req_1" });
  });

  it("leave the address of another host unchanged", async () => {
    const elsewhere = "https://storage.example/upload?id=1";
    const { serve } = await aProvider([{ headers: { location: elsewhere } }]);
    const begin = async (url: string): Promise<string | null> =>
      (await fetch(`${url}/openai/v1/uploads`, { method: "POST", body: "{}" })).headers.get("location");

    expect(await begin(await serve("record"))).toBe(elsewhere);
    expect(await begin(await serve("strict"))).toBe(elsewhere);
  });
});

describe("an address in a header of the provider's own", () => {
  it("is one of the replay server's, while it is recorded and in each run that replays it", async () => {
    const said: ProviderReply[] = [];
    const { upstream, serve, asked } = await aProvider(said);
    const own = `${upstream}/upload/v1beta/files?upload_id=1`;
    said.push({ headers: { "x-goog-upload-url": own } }, { body: { file: { name: "files/1" } } });
    const begin = async (url: string): Promise<string> => {
      const reply = await fetch(`${url}/gemini/upload/v1beta/files`, { method: "POST", body: "{}" });
      return reply.headers.get("x-goog-upload-url") ?? "";
    };
    const finish = (address: string): Promise<Response> => fetch(address, { method: "POST", body: "bytes" });
    const recording = await serve("record");
    await finish(await begin(recording));
    const urls = [await serve("strict"), await serve("strict")];

    const addresses = [await begin(urls[0]!), await begin(urls[1]!), await begin(urls[0]!)];
    const file = await finish(addresses[1]!);

    const below = "/gemini/upload/v1beta/files?upload_id=1";
    expect(addresses).toEqual([`${urls[0]}${below}`, `${urls[1]}${below}`, `${urls[0]}${below}`]);
    expect(await file.json()).toEqual({ file: { name: "files/1" } });
    expect(asked).toHaveLength(2);
  });
});

it("a reply is replayed with its tag, and a part with its range", async () => {
  const headers = {
    etag: '"1"',
    "last-modified": "Tue, 24 Nov 2026 10:00:00 GMT",
    "content-range": "bytes 0-9/20",
  };
  const { serve } = await aProvider([{ status: 206, headers }]);
  await (await fetch(`${await serve("record")}/openai/v1/files/1/content`)).text();

  const replayed = await fetch(`${await serve("strict")}/openai/v1/files/1/content`);

  expect(replayed.status).toBe(206);
  expect(Object.fromEntries(replayed.headers)).toMatchObject(headers);
});

describe("errors", () => {
  const SAID = [{ status: 429, headers: { "retry-after": "0" }, body: RATE_LIMIT }, {}];

  it.each([
    ["by its project", '{ "record": { "errors": true } }', {}],
    ["by its run", "", { recordErrors: true }],
  ])("are recorded when requested %s: 429 and then 200 stay so", async (_, config, options) => {
    const { serve, asked } = await aProvider(SAID, config);
    const ask = (url: string) =>
      new OpenAI({ apiKey: "k", baseURL: `${url}/openai/v1`, maxRetries: 1 }).chat.completions.create(ASKED);
    await ask(await serve("record", options));

    const url = await serve("strict");
    const refused = openaiAt(url).chat.completions.create(ASKED);

    await expect(refused).rejects.toMatchObject({ status: 429, code: "rate_limit" });
    const limited = await refused.catch((error: unknown) => error as InstanceType<typeof OpenAI.APIError>);
    expect((limited as { headers: Headers }).headers.get("retry-after")).toBe("0");
    expect((await openaiAt(url).chat.completions.create(ASKED)).choices[0]?.message.content).toBe("hi");
    expect(asked).toHaveLength(2);
  });

  it("are retried by a client as the provider asked", async () => {
    const { serve, asked } = await aProvider([
      { status: 429, headers: { "x-should-retry": "false" }, body: RATE_LIMIT },
    ]);
    let calls = 0;
    const ask = (url: string) =>
      new OpenAI({
        apiKey: "k",
        baseURL: `${url}/openai/v1`,
        maxRetries: 2,
        fetch: (address, init) => ((calls += 1), fetch(address, init)),
      }).chat.completions.create(ASKED);
    await expect(ask(await serve("record", { recordErrors: true }))).rejects.toMatchObject({ status: 429 });

    await expect(ask(await serve("strict"))).rejects.toMatchObject({ status: 429 });

    expect([calls, asked.length]).toEqual([2, 1]);
  });

  it("are not recorded by default", async () => {
    const { serve } = await aProvider([SAID[0]!]);
    await expect(openaiAt(await serve("record")).chat.completions.create(ASKED)).rejects.toMatchObject({
      status: 429,
    });

    const replayed = openaiAt(await serve("strict")).chat.completions.create(ASKED);

    await expect(replayed).rejects.toMatchObject({ status: 404, code: "tapedeck_miss" });
  });

  it("that break off are not recorded either way", async () => {
    const root = aFolder();
    const upstream = await aServer((_, response) => {
      response.writeHead(500, { "content-type": "application/json", "content-length": "100" });
      response.write('{"error":');
      setImmediate(() => response.destroy());
    });
    const deck = openDeck({
      dir: join(root, ".tapedeck"),
      upstreams: { openai: upstream },
      recordErrors: true,
    });
    onTestFinished(() => deck.close());
    const server = await deck.listen();
    await expect(
      openaiAt(server.admit(deck.createRun("record")).url).chat.completions.create(ASKED),
    ).rejects.toThrow("terminated");

    const replayed = openaiAt(server.admit(deck.createRun("strict")).url).chat.completions.create(ASKED);

    await expect(replayed).rejects.toMatchObject({ code: "tapedeck_miss" });
  });
});

it.each([302, 304])("an answer with status %i is recorded like any other below 400", async (status) => {
  const headers = status === 302 ? { location: "https://elsewhere.example/file" } : {};
  const { serve, asked } = await aProvider([{ status, headers, body: "" }]);
  const ask = async (url: string) => {
    const reply = await fetch(`${url}/openai/v1/files/f/content`, { redirect: "manual" });
    return [reply.status, reply.headers.get("location"), reply.headers.get("x-tapedeck-outcome")];
  };
  await ask(await serve("record"));

  expect(await ask(await serve("strict"))).toEqual([status, headers.location ?? null, "replayed"]);
  expect(asked).toHaveLength(1);
});
