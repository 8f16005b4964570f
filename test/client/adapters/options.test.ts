import { expect, onTestFinished, test } from "vitest";
import { createAnthropic } from "../../../src/client/adapters/anthropic/index.ts";
import { createAzureChat, createAzureResponses } from "../../../src/client/adapters/azure-openai/index.ts";
import { createDashscopeCompatible } from "../../../src/client/adapters/dashscope-compatible/index.ts";
import { createDashscope } from "../../../src/client/adapters/dashscope/index.ts";
import { createGemini } from "../../../src/client/adapters/gemini/index.ts";
import { createOllama } from "../../../src/client/adapters/ollama/index.ts";
import {
  createCompatibleChat,
  createOpenaiChat,
  createOpenaiResponses,
} from "../../../src/client/adapters/openai/index.ts";
import type { ChatClient } from "../../../src/client/chat-client.ts";
import { user } from "../../../src/client/make-message.ts";
import { collect } from "../../../src/client/merge-pieces.ts";
import { failureOf, given } from "../bad-input/cells.ts";

const ADAPTERS = {
  createAnthropic,
  createAzureChat,
  createAzureResponses,
  createCompatibleChat,
  createDashscope,
  createDashscopeCompatible,
  createGemini,
  createOllama,
  createOpenaiChat,
  createOpenaiResponses,
};

const WRONG: readonly (readonly [options: unknown, where: string, says: string])[] = [
  [undefined, "options", "an object of options is expected, got undefined"],
  ["gpt-4o", "options", "an object of options is expected, got string"],
  [{}, "options.model", "a model's name is expected, got undefined"],
  [{ model: "" }, "options.model", 'a model\'s name is expected, got ""'],
  [{ model: "m", temperature: 1 }, "options.temperature", "there is no such option"],
  [
    { model: "m", baseURL: "api" },
    "options.baseURL",
    'an address, e.g. https://api.example.com/v1 is expected, got "api"',
  ],
  [{ model: "m", fetch: {} }, "options.fetch", "a function like fetch is expected, got object"],
  [{ model: "m", apiKey: 5 }, "options.apiKey", "a text is expected, got number"],
  [{ model: "m", headers: "x: y" }, "options.headers", 'an object of texts is expected, got "x: y"'],
];

test.each(Object.entries(ADAPTERS))("%s refuses invalid options at once and by name", async (_, create) => {
  const told = await Promise.all(WRONG.map(([options]) => failureOf(() => create(given(options)))));

  expect(told).toEqual(
    WRONG.map(([, where, says]) => ({ kind: "validation", where, message: `${where}: ${says}` })),
  );
});

test("a provider of one's own needs its name and its address", async () => {
  const create = (options: object) => failureOf(() => createCompatibleChat(given(options)));

  expect(await create({ model: "m", baseURL: "https://a.test/v1" })).toMatchObject({
    message: "options.provider: a provider's name is expected, got undefined",
  });
  expect(await create({ model: "m", provider: "p" })).toMatchObject({
    message: "options.baseURL: an address, e.g. https://api.example.com/v1 is expected, got undefined",
  });
  expect(
    await create({ model: "m", provider: "p", baseURL: "https://a.test/v1", clientOptions: 5 }),
  ).toMatchObject({
    message: "options.clientOptions: an object is expected, got number",
  });
});

/** Headers that options or keys set. */
const TOLD = new Set([
  "authorization",
  "api-key",
  "x-api-key",
  "x-goog-api-key",
  "x-own",
  "x-call",
  "x-client",
]);

/** Where a request went, and what of its headers the options say. */
async function sentBy(
  create: (options: never) => ChatClient,
  options: object,
  stream: boolean,
): Promise<object> {
  const sent: { url?: string; headers?: object } = {};
  const fetch = async (input: string | Request | URL, init?: RequestInit): Promise<Response> => {
    const { url, headers } = new Request(input, init);
    sent.url = url;
    sent.headers = Object.fromEntries([...headers].filter(([name]) => TOLD.has(name)));
    return Response.json({}, { status: 400 });
  };
  const client = create(given({ model: "m", fetch, ...options }));
  const request = { messages: [user("Hi")], settings: { headers: { "x-call": "1" } } };
  await (stream ? collect(client.stream(request)) : client.complete(request)).catch(() => undefined);
  return sent;
}

const OPENAI_HEADERS = { authorization: "Bearer k", "x-own": "2", "x-call": "1" };
const OWN_HEADERS = { headers: { "x-own": "2" } };
const AS_CLIENT = { clientOptions: { defaultHeaders: { "x-client": "3" } } };

test.each<
  readonly [
    what: string,
    create: (options: never) => ChatClient,
    options: object,
    env: Readonly<Record<string, string>>,
    sent: { readonly url: string; readonly headers: object },
  ]
>([
  [
    "OpenAI's key",
    createOpenaiChat,
    OWN_HEADERS,
    { OPENAI_API_KEY: "k" },
    { url: "https://api.openai.com/v1/chat/completions", headers: OPENAI_HEADERS },
  ],
  [
    "OpenAI's client",
    createOpenaiResponses,
    { apiKey: "k", baseURL: "https://a.test/v1", ...AS_CLIENT },
    {},
    {
      url: "https://a.test/v1/responses",
      headers: { authorization: "Bearer k", "x-call": "1", "x-client": "3" },
    },
  ],
  [
    "Azure's resource",
    createAzureChat,
    { ...OWN_HEADERS, deployment: "d" },
    { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://r.test", OPENAI_API_VERSION: "v" },
    {
      url: "https://r.test/openai/deployments/d/chat/completions?api-version=v",
      headers: { "api-key": "k", "x-own": "2", "x-call": "1" },
    },
  ],
  [
    "Azure's address",
    createAzureResponses,
    { apiKey: "k", baseURL: "https://r.test/openai", ...AS_CLIENT },
    {},
    {
      url: "https://r.test/openai/responses?api-version=2024-10-21",
      headers: { "api-key": "k", "x-call": "1", "x-client": "3" },
    },
  ],
  [
    "DashScope's compatible address",
    createDashscopeCompatible,
    OWN_HEADERS,
    { DASHSCOPE_API_KEY: "k", DASHSCOPE_COMPATIBLE_BASE_URL: "https://d.test/v1" },
    { url: "https://d.test/v1/chat/completions", headers: OPENAI_HEADERS },
  ],
  [
    "DashScope's address",
    createDashscope,
    OWN_HEADERS,
    { DASHSCOPE_API_KEY: "k", DASHSCOPE_HTTP_BASE_URL: "https://d.test/v1/" },
    { url: "https://d.test/v1/services/aigc/text-generation/generation", headers: OPENAI_HEADERS },
  ],
  [
    "Anthropic's key",
    createAnthropic,
    OWN_HEADERS,
    { ANTHROPIC_API_KEY: "k" },
    {
      url: "https://api.anthropic.com/v1/messages",
      headers: { authorization: "Bearer k", "x-own": "2", "x-call": "1" },
    },
  ],
  [
    "Anthropic's client",
    createAnthropic,
    { apiKey: "k", baseURL: "https://a.test", ...AS_CLIENT },
    {},
    {
      url: "https://a.test/v1/messages",
      headers: { authorization: "Bearer k", "x-call": "1", "x-client": "3" },
    },
  ],
  [
    "Gemini's key",
    createGemini,
    OWN_HEADERS,
    { GEMINI_API_KEY: "k", GOOGLE_API_KEY: "g" },
    {
      url: "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
      headers: { "x-goog-api-key": "k", "x-own": "2", "x-call": "1" },
    },
  ],
  [
    "Google's key",
    createGemini,
    { baseURL: "https://g.test", clientOptions: { apiVersion: "v9" } },
    { GEMINI_API_KEY: "", GOOGLE_API_KEY: "g" },
    {
      url: "https://g.test/v9/models/m:generateContent",
      headers: { "x-goog-api-key": "g", "x-call": "1" },
    },
  ],
  [
    "Ollama's host and key",
    createOllama,
    OWN_HEADERS,
    { OLLAMA_HOST: "http://o.test:1", OLLAMA_API_KEY: "k" },
    { url: "http://o.test:1/api/chat", headers: OPENAI_HEADERS },
  ],
  [
    "Ollama's own",
    createOllama,
    { host: "http://h.test", baseURL: "http://b.test", apiKey: "k" },
    { OLLAMA_HOST: "http://o.test:1", OLLAMA_API_KEY: "other" },
    { url: "http://h.test/api/chat", headers: { authorization: "Bearer k", "x-call": "1" } },
  ],
  [
    "Ollama's address",
    createOllama,
    { baseURL: "http://b.test", clientOptions: { headers: { "x-client": "3" } } },
    { OLLAMA_HOST: "" },
    { url: "http://b.test/api/chat", headers: { "x-client": "3" } },
  ],
])("%s is sent according to options and environment, whole and as a stream", async (...row) => {
  const [, create, options, env, { url, headers }] = row;
  const before = { ...process.env };
  onTestFinished(() => void (process.env = before));
  process.env = { PATH: before["PATH"], ...env };

  expect(await sentBy(create, options, false)).toEqual({ url, headers });
  expect(await sentBy(create, options, true)).toEqual({
    url: url.replace(":generateContent", ":streamGenerateContent?alt=sse"),
    headers,
  });
});

test("a long time limit for a whole answer is passed to Anthropic's SDK", async () => {
  const told: unknown[] = [];
  const create = async (_body: object, options?: object): Promise<object> => {
    told.push((options as { timeout?: number }).timeout);
    return { content: [{ type: "text", text: "a" }], stop_reason: "end_turn" };
  };
  const client = createAnthropic({ model: "m", client: { messages: { create } } });
  const ask = (maxOutputTokens: number): object => ({
    messages: [user("Hi")],
    settings: { maxOutputTokens },
  });

  for (const most of [8192, 8193, 21_334, 128_000]) await client.complete(given(ask(most)));
  await collect(client.stream(given(ask(128_000)))).catch(() => undefined);

  expect(told).toEqual([undefined, 600_000, 600_019, 3_600_000, undefined]);
});

test("a given client is used unchanged, and an invalid one is refused", async () => {
  const create = async (): Promise<object> => ({
    choices: [{ message: { content: "own" }, finish_reason: "stop" }],
  });
  const client = given({ chat: { completions: { create } } });
  const request = { messages: [user("hi")] };
  const chat = async (): Promise<object> => ({ message: { content: "own" }, done: true });

  const reply = await createOpenaiChat({ model: "m", client }).complete(request);
  const ofOllama = await createOllama({ model: "m", client: { chat } }).complete(request);
  const refused = await failureOf(() => createOpenaiChat({ model: "m", client: given(5) }));

  expect(reply.message.parts).toEqual([{ type: "text", text: "own" }]);
  expect(ofOllama.message.parts).toEqual([{ type: "text", text: "own" }]);
  expect(refused).toMatchObject({ message: "options.client: a client of the SDK is expected, got number" });
});
