import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const sdk = createRequire(import.meta.url).resolve("openai");

/** Returns a program for the official SDK that makes one call with the given environment and prints the response. */
const program = (client: string): string => `
const { AzureOpenAI, OpenAI } = require(${JSON.stringify(sdk)});
const messages = [{ role: "user", content: "Say hi" }];
(${client}).chat.completions.create({ model: "gpt-4o", messages })
  .then((reply) => console.log(reply.choices[0].message.content), (error) => console.log(error.message));
`;

const AZURE = { AZURE_OPENAI_API_KEY: "0123456789abcdef0123456789abcdef" };
const OPENAI = { OPENAI_API_KEY: "sk-own-0123456789" };

const BOTH_PROVIDERS = `
const body = JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Say hi" }] });
const headers = { "content-type": "application/json", authorization: "Bearer sk-own", "x-api-key": "sk-own" };
const { OPENAI_BASE_URL, ANTHROPIC_BASE_URL } = process.env;
for (const url of [OPENAI_BASE_URL + "/chat/completions", ANTHROPIC_BASE_URL + "/v1/messages"]) {
  const reply = await fetch(url, { method: "POST", headers, body });
  console.log(reply.status, await reply.text());
}
`;

async function run(mode: string, cwd: string, env: Record<string, string>, ...options: string[]) {
  return tapedeck(["run", "--mode", mode, ...options, "--", process.execPath, "ask.cjs"], { cwd, env });
}

describe("an address in the user's own environment", () => {
  it("is the upstream of calls, which is reported, and gives the recordings of the provider's own address", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.cjs": program("new OpenAI()") });

    const recorded = await run("record", cwd, { ...OPENAI, OPENAI_BASE_URL: `${upstream.origin}/gateway` });
    const replayed = await run("strict", cwd, {});

    expect(upstream.requests).toEqual(["POST /gateway/chat/completions"]);
    expect(recorded.stderr).toContain(`openai calls are forwarded to ${upstream.origin}`);
    expect(recorded.stderr).toContain("because of your OPENAI_BASE_URL");
    expect([replayed.code, replayed.stdout.trim()]).toEqual([0, "Answer 1 to Say hi"]);
  });

  it("under a name similar to a built-in one makes a new provider, and that is reported", async () => {
    const cwd = aProject({ "ask.cjs": "", "calls.jsonl": "" });
    const google = ["--upstream", "google=http://127.0.0.1:9"];

    const started = await run("strict", cwd, {}, ...google);
    const imported = await tapedeck(["import", "calls.jsonl", ...google], { cwd });

    for (const { stderr } of [started, imported])
      expect(stderr).toContain(
        '"google" is not a built-in provider, so its address does not apply to calls to gemini. If you mean gemini',
      );
  });

  it("replaces a host that only the program names, and gives the recordings of that host", async () => {
    const gateway = await anUpstream();
    const client = 'new OpenAI({ apiKey: "none", baseURL: "https://llm.acme.example/v1" })';
    const cwd = aProject({ "ask.cjs": program(client) });

    const recorded = await run("record", cwd, {}, "--upstream", `llm.acme.example=${gateway.origin}`);
    const replayed = await run("strict", cwd, {});

    expect(gateway.requests).toEqual(["POST /v1/chat/completions"]);
    expect(readdirSync(join(cwd, ".tapedeck", "calls"))).toEqual(["llm.acme.example"]);
    expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout]);
  });

  it("by a second variable is another one: each client's calls go on to its own, or to --upstream, and strict has both", async () => {
    const [one, other, named] = [await anUpstream(), await anUpstream(), await anUpstream()];
    const legacy = "new OpenAI({ baseURL: process.env.OPENAI_API_BASE })";
    const ask =
      program("new OpenAI()") +
      program(legacy)
        .replace("Say hi", "Say hello")
        .replace(/^const \{.*$/m, "{") +
      "}";
    const cwd = aProject({ "ask.cjs": ask });
    const env = {
      ...OPENAI,
      OPENAI_BASE_URL: `${one.origin}/v1`,
      OPENAI_API_BASE: `${other.origin}/gateway/v1`,
    };

    const recorded = await run("record", cwd, env);
    const strict = await run("strict", cwd, env);
    const { stderr } = await run("refresh", cwd, env, ...named.options);

    expect([recorded.code, one.requests, other.requests]).toEqual([
      0,
      ["POST /v1/chat/completions"],
      ["POST /gateway/v1/chat/completions"],
    ]);
    expect(recorded.stderr).toContain(
      `openai calls to ${other.origin}/gateway are forwarded to it, because of your OPENAI_API_BASE.`,
    );
    expect(strict.stderr).toContain("2 replayed · 0 missing · 0 sent");
    expect(strict.stdout.trim().split("\n").toSorted()).toEqual(
      recorded.stdout.trim().split("\n").toSorted(),
    );
    expect(named.requests).toEqual(["POST /v1/chat/completions", "POST /v1/chat/completions"]);
    expect(stderr).not.toContain("OPENAI_API_BASE");
  });

  it("may be one gateway for two providers, also beside nock: both are recorded and replayed", async () => {
    const gateway = await anUpstream();
    const cwd = aProject({
      "package.json": '{"devDependencies": {"nock": "14"}}',
      "ask.mjs": BOTH_PROVIDERS,
    });
    const env = { OPENAI_BASE_URL: `${gateway.origin}/v1`, ANTHROPIC_BASE_URL: gateway.origin };
    const command = ["--", process.execPath, "ask.mjs"];

    const recorded = await tapedeck(["run", "--mode", "record", ...command], { cwd, env });
    const replayed = await tapedeck(["run", ...command], { cwd, env });

    expect(gateway.requests).toEqual(["POST /v1/chat/completions", "POST /v1/messages"]);
    expect(recorded.stderr).toContain("2 recorded · 0 missing · 2 sent");
    expect(readdirSync(join(cwd, ".tapedeck", "calls")).toSorted()).toEqual(["anthropic", "openai"]);
    expect(replayed.stderr).toContain("2 replayed · 0 missing · 0 sent");
    expect(replayed.stdout).toBe(recorded.stdout);
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
  });

  it("that cannot be used keeps calls at home", async () => {
    const cwd = aProject({ "ask.cjs": program("new OpenAI({ maxRetries: 0 })") });

    const { stdout, stderr } = await run("record", cwd, {
      ...OPENAI,
      OPENAI_BASE_URL: "http://a.example/v1",
    });

    expect(stderr).toContain("openai calls are not sent");
    expect(stdout).toContain("Tapedeck has no address for openai");
  });
});

describe("Azure's client in JavaScript", () => {
  it.each([
    ["the endpoint of the environment", 'new AzureOpenAI({ apiVersion: "2024-10-21" })'],
    [
      "the same as its base",
      'new AzureOpenAI({ apiVersion: "2024-10-21", baseURL: process.env.AZURE_OPENAI_ENDPOINT + "/openai" })',
    ],
  ])("with %s reaches only the user's resource, and is replayed", async (_, client) => {
    const [azure, openai] = await Promise.all([anUpstream(), anUpstream()]);
    const cwd = aProject({ "ask.cjs": program(client) });
    const env = { ...AZURE, AZURE_OPENAI_ENDPOINT: azure.origin };

    const recorded = await run("record", cwd, env);
    const replayed = await run("strict", cwd, AZURE);

    expect(openai.requests).toEqual([]);
    expect(azure.requests).toEqual([
      "POST /openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
    ]);
    expect(azure.headers[0]?.["api-key"]).toBe(AZURE.AZURE_OPENAI_API_KEY);
    expect(recorded.stderr).toContain("because of your AZURE_OPENAI_ENDPOINT");
    expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout]);
    expect(recorded.stdout).toContain("Answer 1");
  });

  it.each([
    ["an endpoint", 'apiKey: "own", endpoint: "https://r.openai.azure.com"'],
    ["its tokens", 'azureADTokenProvider: async () => "own", endpoint: "https://r.openai.azure.com"'],
  ])("with %s in its code asks there, beside a client that goes by a variable", async (_, options) => {
    const azure = `new AzureOpenAI({ ${options}, baseURL: null, apiVersion: "2024-10-21", maxRetries: 0 })`;
    const cwd = aProject({ "ask.cjs": program(azure), "also.cjs": program("new OpenAI({ maxRetries: 0 })") });
    const both = [process.execPath, "-e", 'require("./ask.cjs"); require("./also.cjs")'];

    const { stderr } = await tapedeck(["run", "--", ...both], { cwd });

    expect(stderr).toContain("0 replayed · 2 missing · 0 sent");
  });
});
