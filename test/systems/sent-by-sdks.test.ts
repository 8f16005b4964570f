import { expect, test } from "vitest";
import {
  AnthropicChatModel,
  DashScopeChatModel,
  GeminiChatModel,
  OllamaChatModel,
  OpenAIChatModel,
} from "../../src/systems/agentscope/index.ts";
import { anthropicProvider, openAiProvider } from "../../src/systems/miroflow/index.ts";
import { connectSdk } from "../../src/systems/openmanus/index.ts";
import { given } from "../client/bad-input/cells.ts";

interface HttpRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A fetch that answers with a failure, with the requests it got and whether its signal was aborted. */
function telling(leave: () => void = () => {}): {
  readonly sent: HttpRequest[];
  readonly left: boolean[];
  readonly fetch: typeof globalThis.fetch;
} {
  const sent: HttpRequest[] = [];
  const left: boolean[] = [];
  return {
    sent,
    left,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      leave();
      left.push(request.signal.aborted);
      sent.push({
        url: request.url,
        headers: new Headers(init?.headers),
        body: JSON.parse(String(init?.body)) as HttpRequest["body"],
      });
      return Response.json({ error: { message: "no" } }, { status: 500 });
    },
  };
}

const ASKED = [{ role: "user", content: "hi" }];
const CONTENTS = [{ role: "user", parts: [{ text: "hi" }] }];
type Fetch = typeof globalThis.fetch;

type Call = (fetch: Fetch, signal: AbortSignal) => Promise<unknown>;

/** A call of AgentScope's model of this class. The fetch is added to the options of its connection. */
const scope =
  (
    Model: unknown,
    { connection, ...options }: { readonly connection?: object } & Readonly<Record<string, unknown>>,
  ): Call =>
  (fetch, signal) => {
    const Class = Model as typeof OpenAIChatModel;
    const all = { modelName: "m", ...options, connection: { ...connection, fetch } };
    return new Class(given(all)).call(Model === GeminiChatModel ? CONTENTS : ASKED, { signal });
  };

const whole = { stream: false, apiKey: "k" };
const thinking = { type: "enabled", budget_tokens: 1_024 };
const azure = { ...whole, clientType: "azure" };
const endpoint = "https://c.example";

const CALLS: Readonly<Record<string, Call>> = {
  "AgentScope's OpenAI": scope(OpenAIChatModel, {
    ...whole,
    organization: "org",
    connection: { baseURL: "https://a.example/v1" },
  }),
  "AgentScope's OpenAI, whose address is among the client's arguments": scope(OpenAIChatModel, {
    clientKwargs: { baseURL: "https://b.example/v1" },
    connection: { apiKey: "own", organization: "theirs" },
  }),
  "AgentScope's Azure": scope(OpenAIChatModel, { ...azure, connection: { endpoint, apiVersion: "v" } }),
  "AgentScope's Azure, whose resource is among the client's arguments": scope(OpenAIChatModel, {
    ...azure,
    organization: "org",
    clientKwargs: { endpoint, apiVersion: "v", deployment: "d" },
  }),
  "AgentScope's Anthropic": scope(AnthropicChatModel, {
    ...whole,
    thinking,
    clientKwargs: { baseURL: "https://a.example" },
  }),
  "AgentScope's Anthropic, with the options of its connection": scope(AnthropicChatModel, {
    stream: false,
    thinking,
    generateKwargs: { thinking: { type: "disabled" } },
    connection: { apiKey: "own", baseURL: "https://b.example" },
  }),
  "AgentScope's Gemini": scope(GeminiChatModel, {
    ...whole,
    thinkingConfig: { thinkingBudget: 7 },
    generateKwargs: { temperature: 0.5 },
    connection: { baseURL: "https://a.example" },
  }),
  "AgentScope's Gemini, streamed and without thinking": scope(GeminiChatModel, {
    clientKwargs: { apiKey: "theirs" },
    connection: { apiKey: "own", baseURL: "https://b.example" },
  }),
  "AgentScope's Ollama": scope(OllamaChatModel, {
    host: "http://a.example:1",
    options: { seed: 1 },
    connection: { host: "http://not.example" },
  }),
  "AgentScope's Ollama without options": scope(OllamaChatModel, {
    connection: { host: "http://b.example:2" },
  }),
  "AgentScope's DashScope": scope(DashScopeChatModel, {
    ...whole,
    enableThinking: false,
    baseHttpApiUrl: "https://a.example/api/v1",
    headersFromEnvironment: '{"x-a": 1, "x-b": "2"}',
    connection: { headers: { "x-b": "3" } },
  }),
  "AgentScope's DashScope for pictures, streamed": scope(DashScopeChatModel, {
    modelName: "qwen-vl-max",
    connection: { apiKey: "own", baseURL: "https://b.example/api/v1" },
    headersFromEnvironment: "[]",
    surroundings: { log: () => undefined },
  }),
  "MiroFlow's OpenAI": (fetch, signal) => miro(openAiProvider, fetch, signal, "https://a.example/v1"),
  "MiroFlow's OpenAI without an address": (fetch, signal) => miro(openAiProvider, fetch, signal),
  "MiroFlow's Anthropic": (fetch, signal) => miro(anthropicProvider, fetch, signal, "https://a.example"),
  "MiroFlow's Anthropic without an address": (fetch, signal) => miro(anthropicProvider, fetch, signal),
  "OpenManus' OpenAI": (fetch, signal) =>
    manus(fetch, signal, { base_url: "https://a.example/v1", api_type: "openai" }),
  "OpenManus' Azure": (fetch, signal) =>
    manus(fetch, signal, { base_url: "https://a.example/x", api_type: "azure", api_version: "v" }),
};

/** Headers that options or keys set. */
const TOLD =
  /^(?:authorization|api-key|x-(?!stainless|goog-api-client).*|openai-organization|anthropic-(?!version).*)$/;

test("the input is sent once to the given address, as the page beside this test has it, and a caller can leave", async () => {
  const lines: string[] = [];
  for (const [what, call] of Object.entries(CALLS)) {
    const { sent, fetch } = telling();
    const leaving = new AbortController();
    const { left, fetch: leave } = telling(() => leaving.abort());

    await expect(drained(call(fetch, leaving.signal))).rejects.toBeInstanceOf(Error);
    await drained(call(leave, leaving.signal)).catch(() => undefined);

    expect([what, left]).toEqual([what, [true]]);
    const requests = sent.map(({ url, headers, body }) => {
      const told = [...headers].filter(([name]) => TOLD.test(name));
      return `  ${url} ${JSON.stringify(Object.fromEntries(told))}\n  ${JSON.stringify(body)}\n`;
    });
    lines.push(`${what}\n${requests.join("")}`);
  }

  // `vitest FILE -u` writes the page anew.
  await expect(lines.join("")).toMatchFileSnapshot("sent-by-sdks.txt");
});

/** A streamed answer is read to its end. */
async function drained(answer: Promise<unknown>): Promise<void> {
  for await (const _ of (await answer) as AsyncIterable<unknown>);
}

async function miro(
  provider: typeof openAiProvider,
  fetch: Fetch,
  signal: AbortSignal,
  baseUrl: string | null = null,
): Promise<unknown> {
  const connection = await provider.connect(given({ apiKey: "k", baseUrl }), { taskId: "task", fetch });
  return connection.send(
    { model: "m", max_tokens: 10, messages: ASKED, extra_body: { top_k: 3 } },
    { signal, timeoutMs: 5_000 },
  );
}

async function manus(fetch: Fetch, signal: AbortSignal, more: object): Promise<unknown> {
  const llm = { model: "m", api_key: "k", max_tokens: 10, temperature: 1, api_version: "", ...more };
  const completions = await connectSdk({ fetch })(given(llm));
  return completions.create({ model: "m", messages: ASKED }, { signal });
}
