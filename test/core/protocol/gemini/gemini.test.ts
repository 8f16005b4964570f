import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../src/core/protocol/dialects.ts";
import { geminiBatchEmbed, geminiEmbed } from "../../../../src/core/protocol/table/vectors.ts";
import {
  geminiCountTokens,
  geminiGenerate,
  geminiStreamGenerate,
} from "../../../../src/core/protocol/gemini/protocol.ts";
import type { ConversationPart, Projection } from "../../../../src/core/protocol/base/protocol.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import { endOf, protocolContract, type ProtocolCase } from "../../../contract/protocol-contract.ts";
import { geminiClient, geminiSdk } from "../../../support/gemini-sdk.ts";
import { aRequest, trafficFixture, type TrafficFixture } from "../../../support/traffic-fixture.ts";

const at = (operation: string): string => `/v1beta/models/gemini-2.5-flash:${operation}`;
const model = "gemini-2.5-flash";
const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };

const says = (...parts: ConversationPart[]): Projection["messages"] => [{ role: "assistant", parts }];
const text = (value: string): ConversationPart => ({ type: "text", text: value });
const thinking = (value: string): ConversationPart => ({ type: "thinking", text: value });
const weather = (city: string, id?: string): ConversationPart => ({
  type: "tool-call",
  ...(id !== undefined && { id }),
  name: "get_weather",
  arguments: `{"city":"${city}"}`,
});

function fixture(name: string, operation: string): TrafficFixture {
  return trafficFixture("gemini", name, { provider: "gemini", path: at(operation) });
}

function aCase(operation: string, name: string, projection: Projection): ProtocolCase;
function aCase(
  operation: string,
  name: string,
  projection: Projection,
  ends: ProtocolCase["ends"],
): ProtocolCase;
function aCase(
  operation: string,
  name: string,
  projection: Projection,
  ends: ProtocolCase["ends"] = "whole",
): ProtocolCase {
  return { fixture: fixture(name, operation), ends, projection };
}

const faults = [
  ["the body is empty", ""],
  ["not an object", "[]"],
  ['"contents" is missing', {}],
] as const;

protocolContract("Gemini generateContent", {
  protocol: geminiGenerate,
  dialect: geminiDialect,
  sdk: geminiSdk(false),
  path: at("generateContent"),
  body,
  model,
  alwaysStreams: false,
  faults,
  cases: [
    aCase("generateContent", "generate", {
      messages: says(text("Hi!")),
      usage: { inputTokens: 21, outputTokens: 2 },
      finishReason: "STOP",
      model,
    }),
    aCase("generateContent", "thinking", {
      messages: says(thinking("Two and two."), text("4")),
      usage: { inputTokens: 8, outputTokens: 6, reasoningTokens: 5 },
      finishReason: "STOP",
      model,
    }),
    aCase("generateContent", "tools", {
      messages: says(weather("Oslo", "c1"), weather("Rome", "c2")),
      usage: { inputTokens: 30, outputTokens: 9 },
      finishReason: "STOP",
      model,
    }),
  ],
});

const overloaded = { role: "error", parts: [text("UNAVAILABLE: The model is overloaded.")] };

protocolContract("Gemini streamGenerateContent", {
  protocol: geminiStreamGenerate,
  dialect: geminiDialect,
  sdk: geminiSdk(true),
  path: `${at("streamGenerateContent")}?alt=sse`,
  body,
  model,
  alwaysStreams: true,
  faults,
  cases: [
    aCase("streamGenerateContent", "stream", {
      messages: says(text("Grüß dich 👋\n")),
      usage: { inputTokens: 21, outputTokens: 4 },
      finishReason: "STOP",
      model,
      events: 3,
    }),
    aCase("streamGenerateContent", "stream-thinking", {
      messages: says(thinking("Two and two."), text("4")),
      usage: { inputTokens: 8, outputTokens: 6, reasoningTokens: 5 },
      finishReason: "STOP",
      model,
      events: 4,
    }),
    aCase("streamGenerateContent", "stream-tools", {
      messages: says(weather("Oslo"), weather("Rome")),
      usage: { inputTokens: 30, outputTokens: 9 },
      finishReason: "STOP",
      model,
      events: 2,
    }),
    aCase(
      "streamGenerateContent",
      "stream-error",
      { messages: [...says(text("H")), overloaded], model, events: 2 },
      "failed",
    ),
    aCase("streamGenerateContent", "stream-cut", { messages: says(text("Hi")), model, events: 1 }, "cut"),
  ],
});

describe("a Gemini stream that is one JSON array", () => {
  it.each([
    ["array", "whole"],
    ["array-cut", "cut"],
    ["array-error", "failed"],
  ] as const)("%s is known to be %s", (name, ends) => {
    const { reply } = fixture(name, "streamGenerateContent");

    expect(endOf(geminiStreamGenerate, reply.body, reply.contentType)).toBe(ends);
  });

  it("is read as the same chunks would be one by one", () => {
    expect(geminiStreamGenerate.project(fixture("array", "streamGenerateContent").reply)).toEqual({
      messages: says(text('Grüß ["]\\ dich 👋\n')),
      usage: { inputTokens: 21, outputTokens: 4 },
      finishReason: "STOP",
      model,
      events: 3,
    });
  });

  it("made from a draft is whole, and says it", () => {
    const composed = geminiStreamGenerate.compose(
      { text: "One\nTwo" },
      aRequest({ path: at("streamGenerateContent"), body }),
    );

    expect(composed.contentType).toBe("application/json; charset=UTF-8");
    expect(endOf(geminiStreamGenerate, composed.body, composed.contentType)).toBe("whole");
    expect(geminiStreamGenerate.project({ status: 200, ...composed }).messages).toEqual(
      says(text("One\nTwo")),
    );
  });
});

describe("Gemini's other ways to say things", () => {
  it("a prompt that was blocked is a reply, and says so", () => {
    expect(geminiGenerate.project(fixture("blocked", "generateContent").reply)).toEqual({
      messages: says({ type: "other", description: "blocked prompt", text: "SAFETY" }),
      usage: { inputTokens: 4 },
      finishReason: "SAFETY",
      model,
    });
    expect(
      geminiStreamGenerate.stream?.isTerminal('data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n'),
    ).toBe(true);
  });

  it("arguments that come value by value are put together", () => {
    const pieces = [
      { name: "order", willContinue: true },
      { partialArgs: [{ jsonPath: "$.item", stringValue: "Bo", willContinue: true }], willContinue: true },
      { partialArgs: [{ jsonPath: "$.item", stringValue: "oks" }], willContinue: true },
      { partialArgs: [{ jsonPath: "$.lines[1].count", numberValue: 2 }], willContinue: true },
      { partialArgs: [{ jsonPath: "$.lines[0].gift", boolValue: true }] },
    ];
    const frames = pieces.map((functionCall) => {
      const chunk = { candidates: [{ content: { role: "model", parts: [{ functionCall }] } }] };
      return `data: ${JSON.stringify(chunk)}\n\n`;
    });

    const { messages } = geminiStreamGenerate.project({
      status: 200,
      contentType: "text/event-stream",
      body: Buffer.from(frames.join("")),
    });

    const args = '{"item":"Books","lines":[{"gift":true},{"count":2}]}';
    expect(messages).toEqual(says({ type: "tool-call", name: "order", arguments: args }));
  });

  it("a request is read with its system instruction, media, tools and settings, in either spelling", () => {
    const request = aRequest({
      path: "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent",
      body: {
        system_instruction: { parts: { text: "Be kind." } },
        contents: [
          { parts: [{ text: "Look" }, { inline_data: { mime_type: "image/png", data: "iVBORw0KGgo=" } }] },
          { role: "model", parts: [{ functionCall: { id: "c1", name: "f", args: { a: 1 } } }] },
          { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: { ok: true } } }] },
        ],
        tools: [
          { functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: { a: {} } } }] },
          { googleSearch: {} },
        ],
        generationConfig: { temperature: 0.2, seed: 9007199254740 },
      },
    });

    const { messages, settings } = geminiGenerate.conversation(request);

    expect(geminiGenerate.facts(request)).toEqual({ model, streaming: false, label: "Look" });
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(messages[1]?.parts[1]).toMatchObject({ type: "media", media: "image" });
    expect(messages[3]?.parts).toEqual([{ type: "tool-result", id: "c1", text: '{"ok":true}' }]);
    expect(settings).toEqual([
      ["temperature", "0.2"],
      ["seed", "9007199254740"],
      ["tools", "f(a?), googleSearch"],
    ]);
  });
});

const sdkCall = (call: (client: ReturnType<typeof geminiClient>) => Promise<unknown>) => ({
  call: (fetch: typeof globalThis.fetch) => call(geminiClient(fetch)),
  ...geminiSdk(false),
});

const reply = (value: string): Projection["messages"] => [{ role: "reply", parts: [text(value)] }];

operationContract("Gemini embedContent", {
  protocol: geminiEmbed,
  dialect: geminiDialect,
  path: at("embedContent"),
  sdk: sdkCall((client) => client.models.embedContent({ model: "gemini-embedding-001", contents: "a" })),
  faults: [
    ["the body is empty", ""],
    ['"content" is missing', {}],
  ],
  cases: [aCase("embedContent", "embed", { messages: reply("1 embedding, 3 numbers") })],
});

operationContract("Gemini batchEmbedContents", {
  protocol: geminiBatchEmbed,
  dialect: geminiDialect,
  path: at("batchEmbedContents"),
  sdk: sdkCall((client) =>
    client.models.embedContent({ model: "gemini-embedding-001", contents: ["a", "b", "c"] }),
  ),
  faults: [
    ["the body is empty", ""],
    ['"requests" is missing', {}],
  ],
  cases: [aCase("batchEmbedContents", "batch-embed", { messages: reply("3 embeddings, 2 numbers each") })],
});

operationContract("Gemini countTokens", {
  protocol: geminiCountTokens,
  dialect: geminiDialect,
  path: at("countTokens"),
  sdk: sdkCall((client) => client.models.countTokens({ model: "gemini-2.5-flash", contents: "a" })),
  faults: [
    ["the body is empty", ""],
    ["not an object", "[]"],
  ],
  cases: [aCase("countTokens", "count", { messages: reply("12 tokens") })],
});

it("embeddings are named by how many texts there are", () => {
  const { request } = fixture("batch-embed", "batchEmbedContents");

  expect(geminiBatchEmbed.facts(request)).toEqual({ model, streaming: false, label: "3 texts to embed" });
});
