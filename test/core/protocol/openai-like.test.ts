import { describe, expect, it } from "vitest";
import { recordedCost } from "../../../src/core/budget/recorded-cost.ts";
import type { Message, Part, Projection, Protocol } from "../../../src/core/protocol/protocol.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { bytesOf } from "../../../src/core/wire/text.ts";
import {
  endOf,
  projections,
  readingAnything,
  refusingRequests,
  streaming,
  type ProtocolCase,
} from "../../contract/protocol-contract.ts";
import { fails, says, text } from "../../support/protocol-case.ts";
import { aRequest, trafficFixture } from "../../support/traffic-fixture.ts";

/** What differs from OpenAI's own wire, provider by provider, read as each provider's own documents say. */
const providers = createProviders();
const thinking = (value: string): Part => ({ type: "thinking", text: value });
const other = (description: string, value: string): Part => ({ type: "other", description, text: value });
const replies = (value: string): Message => ({ role: "reply", parts: [text(value)] });

interface Given {
  readonly provider: string;
  readonly path: string;
  readonly fixture: string;
  readonly method?: "GET";
  readonly operation: string;
  readonly label: string;
  readonly reads: Projection;
  readonly ends?: ProtocolCase["ends"];
}

const CHAT = "/v1/chat/completions";
const chat = { path: CHAT, operation: "chat.completions", label: "Hi" };

const GIVEN: readonly Given[] = [
  {
    ...chat,
    provider: "openrouter",
    path: "/api/v1/chat/completions",
    fixture: "stream",
    reads: {
      messages: says(thinking("A greeting."), text("Hi!"), {
        type: "media",
        media: "image",
        description: "image/png, 9 bytes",
        url: "data:image/png;base64,iVBORw0KGgo=",
      }),
      usage: {
        inputTokens: 9,
        outputTokens: 6,
        cachedInputTokens: 0,
        reasoningTokens: 3,
        costUsd: 0.000117,
      },
      finishReason: "stop",
      model: "anthropic/claude-sonnet-4.5",
      events: 5,
    },
  },
  {
    ...chat,
    provider: "openrouter",
    path: "/api/v1/chat/completions",
    fixture: "own-key",
    reads: {
      messages: says(thinking("Greet back."), text("Hi!")),
      usage: { inputTokens: 9, outputTokens: 6, costUsd: expect.closeTo(0.00021, 12) as number },
      finishReason: "stop",
      model: "openai/gpt-6-sol",
    },
  },
  {
    ...chat,
    provider: "openrouter",
    path: "/api/v1/chat/completions",
    fixture: "gave-up",
    ends: "failed",
    reads: {
      messages: [...says(text("H")), fails("Provider disconnected")],
      finishReason: "error",
      model: "anthropic/claude-sonnet-4.5",
      events: 3,
    },
  },
  {
    ...chat,
    provider: "deepseek",
    path: "/chat/completions",
    fixture: "stream",
    reads: {
      messages: says(thinking("Greet."), text("Hi!")),
      usage: { inputTokens: 70, outputTokens: 4, cachedInputTokens: 64, reasoningTokens: 2 },
      finishReason: "stop",
      model: "deepseek-chat",
      events: 4,
    },
  },
  {
    ...chat,
    provider: "deepseek",
    path: "/beta/chat/completions",
    fixture: "gave-up",
    ends: "failed",
    reads: {
      messages: says(text("H")),
      usage: { inputTokens: 5, outputTokens: 1 },
      finishReason: "insufficient_system_resource",
      model: "deepseek-chat",
      events: 3,
    },
  },
  {
    ...chat,
    provider: "groq",
    path: "/openai/v1/chat/completions",
    fixture: "stream",
    reads: {
      messages: says(
        thinking("Look it up."),
        text("3 °C."),
        other("executed search", '{"query":"Oslo"}\n3 °C'),
      ),
      usage: { inputTokens: 40, outputTokens: 8, cachedInputTokens: 32 },
      finishReason: "stop",
      model: "groq/compound",
      events: 6,
    },
  },
  {
    ...chat,
    provider: "groq",
    path: "/openai/v1/chat/completions",
    fixture: "failed",
    ends: "failed",
    reads: {
      messages: [...says(text("3")), fails("over capacity")],
      model: "groq/compound",
      events: 3,
    },
  },
  {
    ...chat,
    provider: "xai",
    fixture: "stream",
    reads: {
      messages: says(
        thinking("Hm."),
        text("Hi!"),
        other("cites", "https://example.com/a\nhttps://example.com/b"),
      ),
      usage: {
        inputTokens: 12,
        outputTokens: 12,
        cachedInputTokens: 4,
        reasoningTokens: 10,
        costUsd: 0.0037756,
      },
      finishReason: "stop",
      model: "grok-4",
      events: 5,
    },
  },
  {
    ...chat,
    provider: "xai",
    fixture: "deferred",
    reads: { messages: [replies("to be fetched as f15c114e")] },
  },
  {
    provider: "xai",
    method: "GET",
    path: "/v1/chat/deferred-completion/f15c114e",
    fixture: "fetched",
    operation: "chat.deferred",
    label: "deferred chat f15c114e",
    reads: {
      messages: says(text("42.")),
      usage: { inputTokens: 27, outputTokens: 3 },
      finishReason: "stop",
      model: "grok-4",
    },
  },
  {
    ...chat,
    provider: "together",
    fixture: "stream",
    reads: {
      messages: says(text("Hi!")),
      usage: { inputTokens: 11, outputTokens: 2 },
      finishReason: "eos",
      model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      events: 3,
    },
  },
  {
    provider: "together",
    path: "/v1/rerank",
    fixture: "rerank",
    operation: "rerank",
    label: "Capital?",
    reads: {
      messages: [replies("document 1: 0.7\ndocument 0: 0.3")],
      usage: { inputTokens: 18 },
      model: "Salesforce/Llama-Rank-v1",
    },
  },
  {
    ...chat,
    provider: "huggingface",
    fixture: "failed",
    ends: "failed",
    reads: {
      messages: [...says(text("H")), fails("Request failed during generation: out of memory")],
      model: "m",
      events: 2,
    },
  },
  {
    ...chat,
    provider: "mistral",
    fixture: "stream",
    reads: {
      messages: says(thinking("Greet."), text("Hi!")),
      usage: { inputTokens: 9, outputTokens: 5 },
      finishReason: "stop",
      model: "magistral-medium-2509",
      events: 6,
    },
  },
  {
    provider: "mistral",
    path: "/v1/fim/completions",
    fixture: "fim",
    operation: "fim.completions",
    label: "def add(a, b):",
    reads: {
      messages: says(text("    c = a + b\n")),
      usage: { inputTokens: 14, outputTokens: 8 },
      finishReason: "stop",
      model: "codestral-2508",
      events: 3,
    },
  },
  {
    provider: "mistral",
    path: "/v1/agents/completions",
    fixture: "agent",
    operation: "agents.completions",
    label: "Hi",
    reads: {
      messages: says(text("Hi!")),
      usage: { inputTokens: 9, outputTokens: 2 },
      finishReason: "stop",
      model: "mistral-medium-2508",
    },
  },
  {
    provider: "mistral",
    path: "/v1/conversations",
    fixture: "conversation-stream",
    operation: "conversations",
    label: "Weather in Oslo?",
    reads: {
      messages: says(other("executed web_search", '{"query":"Oslo"}'), text("3 °C in Oslo."), {
        type: "tool-call",
        id: "t1",
        name: "dress",
        arguments: '{"for":"cold"}',
      }),
      usage: { inputTokens: 20, outputTokens: 9 },
      model: "mistral-medium-2508",
      events: 8,
    },
  },
  {
    provider: "mistral",
    path: "/v1/conversations/conv_1/restart",
    fixture: "conversation-failed",
    operation: "conversations",
    label: "Hi",
    ends: "failed",
    reads: {
      messages: [...says(text("H")), fails("conversation.response.error: Model overloaded")],
      events: 3,
    },
  },
  {
    provider: "mistral",
    path: "/v1/conversations/conv_1",
    fixture: "conversation",
    operation: "conversations",
    label: "conversation",
    reads: {
      messages: says(
        text("Wear a coat."),
        other(
          "tool_reference",
          '{"type":"tool_reference","tool":"web_search","title":"Oslo","url":"https://example.com"}',
        ),
      ),
      usage: { inputTokens: 40, outputTokens: 5 },
      model: "mistral-medium-2508",
    },
  },
  {
    provider: "mistral",
    path: "/v1/ocr",
    fixture: "ocr",
    operation: "ocr",
    label: "file to read",
    reads: {
      messages: [{ role: "reply", parts: [text("# Title"), text("Text.")] }],
      finishReason: "2 pages",
      model: "mistral-ocr-2505-completion",
    },
  },
  {
    provider: "mistral",
    path: "/v1/moderations",
    fixture: "moderation",
    operation: "moderations",
    label: "2 inputs to moderate",
    reads: {
      messages: [replies("not flagged"), replies("flagged: hate_and_discrimination 0.91")],
      model: "mistral-moderation-2411",
    },
  },
  {
    provider: "cohere",
    path: "/v1/chat",
    fixture: "chat-v1",
    operation: "chat.v1",
    label: "Weather in Oslo?",
    reads: {
      messages: says(
        text("3 °C."),
        { type: "tool-call", name: "dress", arguments: '{"for":"cold"}' },
        other("citations", '"3 °C": doc_0'),
      ),
      usage: { inputTokens: 70, outputTokens: 6, cachedInputTokens: 64 },
      finishReason: "COMPLETE",
    },
  },
  {
    provider: "cohere",
    path: "/v1/chat",
    fixture: "stream-v1",
    operation: "chat.v1",
    label: "Hi",
    reads: {
      messages: says(text("Grüß dich")),
      usage: { inputTokens: 70, outputTokens: 6, cachedInputTokens: 64 },
      finishReason: "COMPLETE",
      events: 4,
    },
  },
  {
    provider: "cohere",
    path: "/v1/chat",
    fixture: "limit-v1",
    operation: "chat.v1",
    label: "Hi",
    ends: "failed",
    reads: { messages: says(text("Gr")), finishReason: "ERROR_LIMIT", events: 3 },
  },
  {
    provider: "cohere",
    path: "/v1/chat",
    fixture: "cut-v1",
    operation: "chat.v1",
    label: "Hi",
    ends: "cut",
    reads: { messages: says(text("Gr")), events: 2 },
  },
  {
    provider: "cohere",
    path: "/v2/rerank",
    fixture: "rerank",
    operation: "rerank",
    label: "Capital of Norway?",
    reads: { messages: [replies("document 0: 0.99\ndocument 1: 0.02 Bergen is not.")] },
  },
  {
    provider: "cohere",
    path: "/v1/tokenize",
    fixture: "tokenize",
    operation: "tokenize",
    label: "Hello there",
    reads: { messages: [replies("2 tokens: 28339 1922")] },
  },
  {
    provider: "cohere",
    path: "/v1/detokenize",
    fixture: "detokenize",
    operation: "detokenize",
    label: "2 tokens to join",
    reads: { messages: [replies("Hello there")] },
  },
];

function protocolFor(provider: string, path: string, method = "POST"): Protocol {
  const found = providers.protocolFor({ provider, method, path });
  if (found === undefined) throw new Error(`no provider ${provider}`);
  return found.protocol;
}

describe.each(GIVEN.map((given) => [given.provider, given.path, given] as const))(
  "%s %s",
  (_p, _q, given) => {
    const { provider, path, fixture, method, operation, label, reads, ends = "whole" } = given;
    const protocol = protocolFor(provider, path, method);
    const traffic = trafficFixture(provider, fixture, { provider, path });
    const cases = [{ fixture: traffic, ends, projection: reads }];

    it("is known, and named by what was asked", () => {
      expect(protocol.operation).toBe(operation);
      expect(protocol.facts(traffic.request).label).toBe(label);
      expect(protocol.conversation(traffic.request).messages.length > 0).toBe(method !== "GET");
    });

    projections({ protocol, cases });
    streaming({ protocol, cases });
    readingAnything({ protocol });

    it.each([false, true])("answers a draft with a whole reply, stream: %s", (stream) => {
      const asked = method === "GET" ? "" : { ...traffic.asked, stream };

      const composed = protocol.compose({ text: "A\ndraft." }, aRequest({ provider, path, body: asked }));

      const isStream = stream && protocol.stream !== undefined && !composed.contentType.endsWith("/json");
      expect(
        isStream ? endOf(protocol, composed.body, composed.contentType) : protocol.isWhole(composed.body),
      ).toBe(isStream ? "whole" : true);
      expect(protocol.project({ status: 200, ...composed }).messages.map(({ role }) => role)).not.toContain(
        "error",
      );
    });
  },
);

describe("requests that an operation cannot be asked with", () => {
  const refused = (provider: string, path: string, faults: readonly (readonly [string, unknown])[]): void =>
    refusingRequests({ protocol: protocolFor(provider, path), path, faults });

  refused("mistral", "/v1/fim/completions", [['"prompt" is missing', { model: "m" }]]);
  refused("mistral", "/v1/agents/completions", [['"messages" is missing', { agent_id: "a" }]]);
  refused("mistral", "/v1/ocr", [['"document" is missing', { model: "m" }]]);
  refused("cohere", "/v1/chat", [['"message" is missing', { model: "m" }]]);
  refused("cohere", "/v2/rerank", [['"documents" is missing', { query: "q" }]]);
  refused("cohere", "/v1/tokenize", [['"text" is missing', { model: "m" }]]);
});

describe("an answer that was given up", () => {
  it.each([
    ["mistral", "error"],
    ["together", "error"],
    ["deepseek", "insufficient_system_resource"],
  ])("by %s in one piece is not whole, and says why", (provider, reason) => {
    const protocol = protocolFor(provider, CHAT);
    const message = { role: "assistant", content: 'She said "error".' };
    const reply = (finish_reason: string) =>
      bytesOf(JSON.stringify({ choices: [{ index: 0, message, finish_reason }] }));

    expect(protocol.isWhole(reply(reason))).toBe(false);
    expect(protocol.unfinished?.(reply(reason))).toBe(
      `The provider gave the answer up (finish_reason ${reason})`,
    );
    expect(protocol.isWhole(reply("stop"))).toBe(true);
    expect(protocol.unfinished?.(reply("stop"))).toBeUndefined();
  });

  it("of a deferred chat is said to be made still, while it is empty", () => {
    const protocol = protocolFor("xai", "/v1/chat/deferred-completion/x", "GET");

    expect(protocol.unfinished?.(new Uint8Array())).toBe("The deferred answer is still being made");
    expect(protocol.isWhole(new Uint8Array())).toBe(false);
  });
});

it("lines that DeepSeek sends before the JSON, while a request waits, are no part of it", () => {
  const protocol = protocolFor("deepseek", "/chat/completions");
  const whole = {
    choices: [{ index: 0, message: { role: "assistant", content: "Hi!" }, finish_reason: "stop" }],
  };
  const body = bytesOf(`\n\n\n${JSON.stringify(whole)}`);

  expect(protocol.isWhole(body)).toBe(true);
  expect(protocol.project({ status: 200, contentType: "application/json", body })).toEqual({
    messages: says(text("Hi!")),
    finishReason: "stop",
  });
});

it.each([
  ["deepseek", "/anthropic/v1/messages", "messages"],
  ["openrouter", "/api/v1/messages", "messages"],
  ["xai", "/v1/messages", "messages"],
  ["openrouter", "/api/v1/rerank", "rerank"],
  ["openrouter", "/api/v1/responses", "responses"],
  ["groq", "/openai/v1/responses", "responses"],
  ["deepseek", "/beta/completions", "completions"],
  ["huggingface", "/fireworks-ai/inference/v1/chat/completions", "chat.completions"],
  ["huggingface", "/hf-inference/models/m/pipeline/feature-extraction", "http"],
  ["mistral", "/v1/conversations/c/history", "http"],
  ["cohere", "/compatibility/v1/chat/completions", "chat.completions"],
  ["cohere", "/v1/rerank", "rerank"],
])("%s %s is an operation %s", (provider, path, operation) => {
  expect(protocolFor(provider, path).operation).toBe(operation);
});

describe("what a call took", () => {
  const usage = { inputTokens: 1000, outputTokens: 1000, costUsd: 0.25 };
  const answered = (model: string) => ({ projection: { messages: [], usage }, model, upstream: undefined });

  it("is what the provider says, also of a model that nobody priced, and of a known one", () => {
    expect(recordedCost(answered("of-nobody"), {})).toBe(0.25);
    expect(recordedCost(answered("gpt-4o-mini"), {})).toBe(0.25);
  });

  it("is by the user's own price where there is one", () => {
    expect(recordedCost(answered("of-nobody"), { "of-nobody": { input: 1, output: 1 } })).toBeCloseTo(
      0.002,
      12,
    );
  });
});
