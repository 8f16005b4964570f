import { describe, expect, it } from "vitest";
import { cohereChat } from "../../../src/core/protocol/cohere/chat-protocol.ts";
import { cohereEmbed } from "../../../src/core/protocol/table/vectors.ts";
import { dashscopeGenerations } from "../../../src/core/protocol/dashscope/protocol.ts";
import type { ConversationPart, Projection, Protocol } from "../../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import {
  endOf,
  projections,
  readingAnything,
  refusingRequests,
  streaming,
  type ProtocolCase,
} from "../../contract/protocol-contract.ts";
import { aRequest, trafficFixture } from "../../support/traffic-fixture.ts";

const says = (...parts: ConversationPart[]): Projection["messages"] => [{ role: "assistant", parts }];
const text = (value: string): ConversationPart => ({ type: "text", text: value });
const thinking = (value: string): ConversationPart => ({ type: "thinking", text: value });
const weather: ConversationPart = {
  type: "tool-call",
  id: "t1",
  name: "get_weather",
  arguments: '{"city":"Oslo"}',
};

const casesOf =
  (provider: string, path: string) =>
  (name: string, projection: Projection, ends: ProtocolCase["ends"] = "whole"): ProtocolCase => ({
    fixture: trafficFixture(provider, name, { provider, path }),
    ends,
    projection,
  });

function composing(protocol: Protocol, path: string, body: object): void {
  it.each(["Hi!", "One line\nand “another” 👋.\n", ""])(
    "a reply made from the draft %j is whole",
    (draft) => {
      const composed = protocol.compose({ text: draft }, aRequest({ path, body }));

      const isStream = composed.contentType.includes("event-stream");
      const parts = protocol
        .project({ status: 200, ...composed })
        .messages.flatMap((message) => message.parts);
      expect(parts.map((part) => ("text" in part ? part.text : "")).join("")).toBe(draft);
      expect(isStream ? endOf(protocol, composed.body) : protocol.isWhole(composed.body)).toBe(
        isStream ? "whole" : true,
      );
    },
  );
}

describe("Cohere chat", () => {
  const aCase = casesOf("cohere", "/v2/chat");
  const usage = { inputTokens: 496, outputTokens: 6, cachedInputTokens: 448 };
  const cases = [
    aCase("chat", { messages: says(thinking("A greeting."), text("Hi!")), usage, finishReason: "COMPLETE" }),
    aCase("stream", { messages: says(text("Grüß dich 👋")), usage, finishReason: "COMPLETE", events: 7 }),
    aCase("stream-tools", {
      messages: says(thinking("I will look."), weather),
      usage,
      finishReason: "TOOL_CALL",
      events: 8,
    }),
    aCase(
      "error-in-stream",
      {
        messages: [...says(text("H")), { role: "error", parts: [text("Internal error, try again.")] }],
        usage,
        finishReason: "ERROR",
        events: 3,
      },
      "failed",
    ),
    aCase("cut", { messages: says(text("Hi")), events: 3 }, "cut"),
  ];
  const body = { model: "command-a-03-2025", messages: [{ role: "user", content: "Hi" }] };
  projections({ protocol: cohereChat, cases });
  streaming({ protocol: cohereChat, cases });
  readingAnything({ protocol: cohereChat });
  composing(cohereChat, "/v2/chat", body);
  composing(cohereChat, "/v2/chat", { ...body, stream: true });
  refusingRequests({
    protocol: cohereChat,
    path: "/v2/chat",
    faults: [
      ["the body is empty", ""],
      ['"messages" is missing', { model: "m" }],
      ['"model" is missing', { messages: [] }],
    ],
  });
});

describe("Cohere embed", () => {
  const embed = casesOf("cohere", "/v2/embed")("embed", {
    messages: [
      {
        role: "reply",
        parts: [text("3 embeddings, 2 numbers each (float); 3 embeddings, 2 numbers each (int8)")],
      },
    ],
    usage: { inputTokens: 3 },
  });
  projections({ protocol: cohereEmbed, cases: [embed] });
  readingAnything({ protocol: cohereEmbed });

  it("is named by how many texts there are", () => {
    expect(cohereEmbed.facts(embed.fixture.request).label).toBe("3 texts to embed");
  });
});

const GENERATION = "/api/v1/services/aigc/text-generation/generation";
const MULTIMODAL = "/api/v1/services/aigc/multimodal-generation/generation";
const [streamed, whole, , multimodal] = dashscopeGenerations;

describe("DashScope generation", () => {
  const aCase = casesOf("dashscope", GENERATION);
  const usage = { inputTokens: 21, outputTokens: 2, cachedInputTokens: 16 };
  const cases = [
    aCase("generation", { messages: says(text("Hi!")), usage, finishReason: "stop" }),
    aCase("prompt", {
      messages: says(text("Hi!")),
      usage: { inputTokens: 5, outputTokens: 2 },
      finishReason: "stop",
    }),
    aCase("multimodal", {
      messages: says(text("A dog.")),
      usage: { inputTokens: 1200, outputTokens: 4 },
      finishReason: "stop",
    }),
  ];
  projections({ protocol: whole!, cases });
  readingAnything({ protocol: whole! });
  composing(whole!, GENERATION, { model: "qwen-plus", input: { messages: [] } });
  composing(whole!, GENERATION, { model: "qwen-turbo", input: { prompt: "Hi" } });
  refusingRequests({
    protocol: whole!,
    path: GENERATION,
    faults: [
      ["the body is empty", ""],
      ['"input" is missing', { model: "m" }],
      ['"input" is not an object', { model: "m", input: "hi" }],
    ],
  });

  it("is read with its media and parameters", () => {
    const { request } = casesOf("dashscope", MULTIMODAL)("multimodal", { messages: [] }).fixture;

    expect(multimodal?.facts(request)).toEqual({
      model: "qwen-vl-plus",
      streaming: false,
      label: "What is this?",
    });
    expect(multimodal?.conversation(request).messages[0]?.parts.map(({ type }) => type)).toEqual([
      "media",
      "text",
    ]);
    expect(whole?.conversation(cases[0]!.fixture.request).settings).toEqual([
      ["result_format", "message"],
      ["temperature", "0.2"],
    ]);
  });
});

describe("a DashScope stream", () => {
  const aCase = casesOf("dashscope", GENERATION);
  const finished = { finishReason: "stop", usage: { inputTokens: 21, outputTokens: 4 } };
  const cases = [
    aCase("stream", { messages: says(text("Grüß dich 👋")), ...finished, events: 3 }),
    aCase("stream-incremental", {
      messages: says(thinking("Two words."), text("Grüß dich")),
      finishReason: "stop",
      usage: { inputTokens: 21, outputTokens: 4, reasoningTokens: 2 },
      events: 5,
    }),
    aCase("stream-tools", {
      messages: says(weather),
      finishReason: "tool_calls",
      usage: { inputTokens: 30, outputTokens: 9 },
      events: 3,
    }),
    aCase(
      "stream-error",
      {
        messages: [
          ...says(text("H")),
          {
            role: "error",
            parts: [text("DataInspectionFailed: Output data may contain inappropriate content.")],
          },
        ],
        usage: { inputTokens: 21, outputTokens: 1 },
        events: 2,
      },
      "failed",
    ),
    aCase(
      "stream-cut",
      { messages: says(text("Hi")), usage: { inputTokens: 21, outputTokens: 1 }, events: 1 },
      "cut",
    ),
  ];
  projections({ protocol: streamed!, cases });
  streaming({ protocol: streamed!, cases });
  composing(streamed!, GENERATION, { model: "qwen-plus", input: { messages: [] } });
  composing(streamed!, GENERATION, {
    model: "qwen-plus",
    input: { messages: [] },
    parameters: { incremental_output: true },
  });

  it("is another operation than the reply in one piece, by its header when asked and by its name when recorded", () => {
    const providers = createProviders();
    const call = { provider: "dashscope", method: "POST", path: GENERATION };
    const operation = (more: object): string | undefined =>
      providers.protocolFor({ ...call, ...more })?.protocol.operation;

    expect([
      operation({ headers: [["x-dashscope-sse", "enable"]] }),
      operation({ headers: [["accept", "text/event-stream"]] }),
      operation({ headers: [["accept", "application/json"]] }),
      operation({ operation: "text-generation.stream" }),
      operation({ operation: "text-generation" }),
    ]).toEqual([
      "text-generation.stream",
      "text-generation.stream",
      "text-generation",
      "text-generation.stream",
      "text-generation",
    ]);
  });
});
