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

/** A project in which these requests were recorded one after the other, with the replies. */
async function aRecordedProject(...bodies: readonly (typeof CHAT | typeof MESSAGE)[]) {
  const upstream = await anUpstream();
  const cwd = aProject();
  const served = await serving(["--mode", "record", ...upstream.options], { cwd });
  const recorded: HttpReply[] = [];
  for (const body of bodies)
    recorded.push(await ("max_tokens" in body ? askAnthropic(served, body) : askOpenai(served, body)));
  await served.end();
  return { cwd, upstream, recorded };
}

describe("a miss", () => {
  it("matches the contract, in the shapes of OpenAI and Anthropic", async () => {
    const served = await serving([], { cwd: aProject() });

    const [openai, anthropic] = [await askOpenai(served), await askAnthropic(served)];

    const [one, other] = [openai, anthropic].map(
      ({ text }) => JSON.parse(text) as { error: { message: string } },
    );
    for (const reply of [openai, anthropic]) {
      expect(reply.status).toBe(404);
      expect(reply.headers).toMatchObject({
        "content-type": "application/json",
        "x-should-retry": "false",
        "x-tapedeck-outcome": "miss",
      });
    }
    const message = one?.error.message;
    expect(one).toEqual({
      error: { message, type: "tapedeck_miss", param: null, code: "tapedeck_miss" },
    });
    expect(other).toEqual({
      type: "error",
      error: { type: "tapedeck_miss", message: other?.error.message },
    });
    expect(message).toMatch(/, key [0-9a-f]{8}…\n/);
    expect(message).toMatch(/^Key: sha256:[0-9a-f]{64}$/m);
    expect(message).toMatch(/--mode record/);
  });

  it("reaches the official SDKs as one request each, with what differs from the nearest recording", async () => {
    const { cwd, recorded } = await aRecordedProject(CHAT, MESSAGE);
    const served = await serving(["--log", "json"], { cwd });
    const openai = new OpenAI({ apiKey: "none", baseURL: `${served.ready.url}/openai/v1` });
    const anthropic = new Anthropic({ apiKey: "none", baseURL: `${served.ready.url}/anthropic` });

    const first = openai.chat.completions.create({ ...CHAT, temperature: 1 });
    await expect(first).rejects.toThrow(/nearest recording \([0-9a-f]{8}…\).*temperature/);
    const second = anthropic.messages.create({ ...MESSAGE, max_tokens: 10 });
    await expect(second).rejects.toThrow(/nearest recording \([0-9a-f]{8}…\).*max_tokens/);

    const { stdout } = await served.end();
    const lines = stdout.trimEnd().split("\n").slice(1);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        provider: "openai",
        outcome: "miss",
        entry: null,
        miss: {
          nearest: recorded[0]?.headers["x-tapedeck-entry"],
          differences: [{ at: "/temperature", kind: "added", asked: "1" }],
        },
      },
      { provider: "anthropic", outcome: "miss" },
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

  it("without it calls are reported for people, on standard error and without colors", async () => {
    const served = await serving([], { cwd: aProject() });

    await askOpenai(served);
    const { stdout, stderr } = await served.end();

    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/^missing +gpt-4o-mini {2}Say hi/m);
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
    const requests = [CHAT, { ...CHAT, stream: true }, MESSAGE, { ...MESSAGE, stream: true }];
    const { cwd, upstream, recorded } = await aRecordedProject(...requests);

    const strict = await serving([], { cwd });
    const replayed: HttpReply[] = [];
    for (const body of requests)
      replayed.push(await ("max_tokens" in body ? askAnthropic(strict, body) : askOpenai(strict, body)));

    expect(recorded.map(outcomeOf)).toEqual(["recorded", "recorded", "recorded", "recorded"]);
    expect(replayed.map(outcomeOf)).toEqual(["replayed", "replayed", "replayed", "replayed"]);
    const bytesOf = ({ text, headers }: HttpReply) => [text, headers["content-type"]];
    expect(replayed.map(bytesOf)).toEqual(recorded.map(bytesOf));
    expect(upstream.requests).toHaveLength(4);
  });

  it.each([
    ["refresh", [], "recorded", "Answer 2 to Say hi"],
    ["live", [], "forwarded", "Answer 2 to Say hi"],
    ["lenient", ["--default", "Later."], "replayed", "Answer 1 to Say hi"],
  ] as const)("in mode %s, a recorded call is answered by that mode", async (mode, more, outcome, answer) => {
    const { cwd, upstream, recorded } = await aRecordedProject(CHAT);
    const served = await serving(["--mode", mode, ...more, ...upstream.options], { cwd });

    const reply = await askOpenai(served);
    const other = await askOpenai(served, { ...CHAT, temperature: 1 });
    await served.end();
    const { stdout } = await tapedeck(["list", "--json"], { cwd });

    expect([outcomeOf(reply), JSON.parse(reply.text)]).toMatchObject([
      outcome,
      { choices: [{ message: { content: answer } }] },
    ]);
    expect(outcomeOf(other)).toBe(mode === "lenient" ? "defaulted" : outcome);
    const entries = (JSON.parse(stdout) as { entry: string }[]).map(({ entry }) => entry);
    expect(entries).toContain(recorded[0]?.headers["x-tapedeck-entry"]);
    expect(entries).toHaveLength(mode === "refresh" ? 2 : 1);
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
