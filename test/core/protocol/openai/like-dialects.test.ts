import { describe, expect, it } from "vitest";
import { recordedCost } from "../../../../src/core/view/prices/price-of.ts";
import type { Protocol } from "../../../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { bytesOf } from "../../../../src/core/base/wire/text.ts";
import {
  endOf,
  projections,
  readingAnything,
  refusingRequests,
  streaming,
} from "../../../contract/protocol-contract.ts";
import { says, text } from "../../../support/protocol-case.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";
import { CHATS } from "./like-chats.ts";
import { OWN_OPERATIONS } from "../own-operations.ts";

/** What differs from OpenAI's own wire, provider by provider, read as each provider's own documents say. */
const providers = createProviders();
const CHAT = "/v1/chat/completions";

function protocolFor(provider: string, path: string, method = "POST"): Protocol {
  const found = providers.protocolFor({ provider, method, path });
  if (found === undefined) throw new Error(`no provider ${provider}`);
  return found.protocol;
}

describe.each([...CHATS, ...OWN_OPERATIONS].map((given) => [given.provider, given.path, given] as const))(
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
  refused("mistral", "/v1/classifications", [['"input" is missing', { model: "m" }]]);
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
