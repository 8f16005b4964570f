import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { aServer } from "../../support/a-server.ts";
import { send, type HttpReply } from "../../support/http-client.ts";
import { servingProcess } from "../a-process.ts";
import { anUpstream } from "../an-upstream.ts";
import { aProject, serving, tapedeck, type Served } from "../tapedeck.ts";

const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user" as const, content: "Say hi" }] };
const MESSAGE = {
  model: "claude-sonnet-4",
  max_tokens: 9,
  messages: [{ role: "user" as const, content: "Say hi" }],
};

function ask({ ready }: Served, path: string, body: unknown): Promise<HttpReply> {
  const headers = { "content-type": "application/json", authorization: "Bearer sk-test" };
  return send(`${ready.url}${path}`, { headers, body: JSON.stringify(body) });
}

const askOpenai = (served: Served, body: unknown = CHAT) => ask(served, "/openai/v1/chat/completions", body);
const askAnthropic = (served: Served, body: unknown = MESSAGE) => ask(served, "/anthropic/v1/messages", body);
/** The final outcome: a slow stream reports it in the trailer. */
const outcomeOf = ({ headers, trailers }: HttpReply) =>
  trailers["x-tapedeck-outcome"] ?? headers["x-tapedeck-outcome"];

describe("the ready line", () => {
  it("has exactly the members that scripts read, and addresses that answer", async () => {
    const served = await servingProcess([], { cwd: aProject() });

    const { ready } = served;
    expect(Object.keys(ready)).toEqual(["event", "url", "pid", "mode", "env"]);
    expect(ready).toMatchObject({ event: "ready", pid: served.pid, mode: "strict" });
    expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22,}$/);
    expect(ready.env).toMatchObject({
      OPENAI_BASE_URL: `${ready.url}/openai/v1`,
      ANTHROPIC_BASE_URL: `${ready.url}/anthropic`,
    });
    expect((await askOpenai(served)).status).toBe(404);
  });

  it("takes the token it is given, and lets no other in", async () => {
    const served = await serving(["--token", "my.own_token-1~"], { cwd: aProject() });

    const other = await send(`${new URL(served.ready.url).origin}/other/openai/v1/models`, { method: "GET" });
    expect(served.ready.url).toMatch(/\/my\.own_token-1~$/);
    expect([other.status, outcomeOf(other)]).toEqual([403, "refused"]);
  });

  it("uses the given port, and has a hint when it is in use", async () => {
    const origin = await aServer((_request, response) => response.end());
    const port = new URL(origin).port;

    const { code, stdout, stderr } = await tapedeck(["serve", "--port", port], { cwd: aProject() });

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}.*another program uses it`));
    expect(stderr).toMatch(/--port/);
  });
});

describe("the end", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s ends it with 0 and frees the port", async (signal) => {
    const served = await servingProcess([], { cwd: aProject() });

    const { code, stdout } = await served.end(signal);

    expect([code, stdout.split("\n").length]).toEqual([0, 2]);
    await expect(askOpenai(served)).rejects.toThrow("ECONNREFUSED");
  });
});

describe("a miss", () => {
  it("matches the contract, in OpenAI's shape", async () => {
    const served = await serving([], { cwd: aProject() });

    const reply = await askOpenai(served);

    const body = JSON.parse(reply.text) as { error: { message: string } };
    expect(reply.status).toBe(404);
    expect(reply.headers).toMatchObject({
      "content-type": "application/json",
      "x-should-retry": "false",
      "x-tapedeck-outcome": "miss",
    });
    expect(body).toEqual({
      error: { message: body.error.message, type: "tapedeck_miss", param: null, code: "tapedeck_miss" },
    });
    expect(body.error.message).toMatch(/, key [0-9a-f]{8}…\n/);
    expect(body.error.message).toMatch(/^Key: sha256:[0-9a-f]{64}$/m);
    expect(body.error.message).toMatch(/--mode record/);
  });

  it("matches the contract, in Anthropic's shape", async () => {
    const served = await serving([], { cwd: aProject() });

    const reply = await askAnthropic(served);

    const body = JSON.parse(reply.text) as { error: { message: string } };
    expect([reply.status, outcomeOf(reply), reply.headers["x-should-retry"]]).toEqual([404, "miss", "false"]);
    expect(body).toEqual({ type: "error", error: { type: "tapedeck_miss", message: body.error.message } });
  });

  it("reaches the official SDKs as one request each, with what differs from the nearest recording", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const recording = await serving(["--mode", "record", ...upstream.options], { cwd });
    await askOpenai(recording);
    await askAnthropic(recording);
    await recording.end();
    const served = await serving(["--log", "json"], { cwd });
    const openai = new OpenAI({ apiKey: "none", baseURL: `${served.ready.url}/openai/v1` });
    const anthropic = new Anthropic({ apiKey: "none", baseURL: `${served.ready.url}/anthropic` });

    const first = openai.chat.completions.create({ ...CHAT, temperature: 0.7 });
    await expect(first).rejects.toThrow(/nearest recording \([0-9a-f]{8}…\).*temperature/);
    const second = anthropic.messages.create({ ...MESSAGE, max_tokens: 10 });
    await expect(second).rejects.toThrow(/nearest recording \([0-9a-f]{8}…\).*max_tokens/);

    const { stdout } = await served.end();
    const calls = stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line) as { provider: string; outcome: string });
    expect(calls.map(({ provider, outcome }) => `${provider} ${outcome}`)).toEqual([
      "openai miss",
      "anthropic miss",
    ]);
  });
});

describe("--log json", () => {
  it("prints each call on a separate line, the fixed members first", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const served = await serving(["--mode", "record", "--log", "json", ...upstream.options], { cwd });

    const reply = await askOpenai(served);
    const line = await served.nextLine();

    expect(Object.keys(line).slice(0, 7)).toEqual([
      "event",
      "provider",
      "operation",
      "outcome",
      "key",
      "entry",
      "ms",
    ]);
    expect(line).toMatchObject({
      event: "call",
      provider: "openai",
      operation: "chat.completions",
      outcome: "recorded",
      key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      entry: reply.headers["x-tapedeck-entry"],
      model: "gpt-4o-mini",
      label: "Say hi",
    });
    expect(line["ms"]).toBeTypeOf("number");
    expect(existsSync(join(cwd, ".tapedeck", String(line["entry"])))).toBe(true);
  });

  it("reports the differences of a miss", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const recording = await serving(["--mode", "record", ...upstream.options], { cwd });
    const entry = (await askOpenai(recording)).headers["x-tapedeck-entry"];
    await recording.end();
    const served = await serving(["--log", "json"], { cwd });

    await askOpenai(served, { ...CHAT, temperature: 1 });
    const line = await served.nextLine();

    expect(line).toMatchObject({
      outcome: "miss",
      entry: null,
      miss: { nearest: entry, differences: [{ at: "/temperature", kind: "added", asked: "1" }] },
    });
  });

  it("without it calls are reported for people, on standard error and without colors", async () => {
    const served = await serving([], { cwd: aProject() });

    await askOpenai(served);
    const { stdout, stderr } = await served.end();

    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/^missed +gpt-4o-mini {2}Say hi/m);
    expect(stderr).not.toContain("\u001b");
  });

  it.each([
    [{ FORCE_COLOR: "1" }, true],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true],
    [{ FORCE_COLOR: "0" }, false],
    [{ NO_COLOR: "1" }, false],
  ])("colors follow %j", async (env, colored) => {
    const { stderr } = await tapedeck(["nothing"], { cwd: aProject(), env });

    expect(stderr.includes("\u001b[31m")).toBe(colored);
  });
});

describe("modes", () => {
  it("record asks once, strict replays byte for byte with the upstream gone, JSON and streams alike", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const requests = [CHAT, { ...CHAT, stream: true }, MESSAGE, { ...MESSAGE, stream: true }];
    const askAll = (served: Served) =>
      Promise.all(
        requests.map((body) => ("max_tokens" in body ? askAnthropic(served, body) : askOpenai(served, body))),
      );
    const record = await serving(["--mode", "record", ...upstream.options], { cwd });
    const recorded = await askAll(record);
    await record.end();

    const strict = await serving([], { cwd });
    const replayed = await askAll(strict);

    expect(recorded.map(outcomeOf)).toEqual(["recorded", "recorded", "recorded", "recorded"]);
    expect(replayed.map(outcomeOf)).toEqual(["replayed", "replayed", "replayed", "replayed"]);
    expect(replayed.map(({ text }) => text)).toEqual(recorded.map(({ text }) => text));
    expect(replayed.map(({ headers }) => headers["content-type"])).toEqual(
      recorded.map(({ headers }) => headers["content-type"]),
    );
    expect(upstream.requests).toHaveLength(4);
  });

  it("refresh puts a new answer in the old one's place", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const record = await serving(["--mode", "record", ...upstream.options], { cwd });
    const old = await askOpenai(record);
    await record.end();

    const refresh = await serving(["--mode", "refresh", ...upstream.options], { cwd });
    const fresh = await askOpenai(refresh);
    await refresh.end();
    const strict = await serving([], { cwd });
    const replayed = await askOpenai(strict);

    expect(fresh.headers["x-tapedeck-entry"]).toBe(old.headers["x-tapedeck-entry"]);
    expect(replayed.text).toBe(fresh.text);
    expect(replayed.text).not.toBe(old.text);
  });

  it("lenient mode answers unrecorded calls with the given text, and contacts no provider", async () => {
    const upstream = await anUpstream();
    const served = await serving(["--mode", "lenient", "--default", "Later.", ...upstream.options], {
      cwd: aProject(),
    });

    const reply = await askOpenai(served);

    expect([reply.status, outcomeOf(reply), upstream.requests]).toEqual([200, "defaulted", []]);
    expect(JSON.parse(reply.text)).toMatchObject({ choices: [{ message: { content: "Later." } }] });
  });

  it("live passes everything on and keeps nothing", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const served = await serving(["--mode", "live", ...upstream.options], { cwd });

    const replies = [await askOpenai(served), await askOpenai(served)];
    await served.end();

    expect(replies.map(outcomeOf)).toEqual(["forwarded", "forwarded"]);
    expect(upstream.requests).toHaveLength(2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("strict creates no folder", async () => {
    const cwd = aProject();
    const served = await serving([], { cwd });

    await askOpenai(served);
    const { stderr } = await served.end();

    expect(readdirSync(cwd)).toEqual([]);
    expect(stderr).toContain(".tapedeck does not exist yet");
  });
});
