import { describe, expect, it } from "vitest";
import { ollamaChat } from "../../../../src/core/protocol/ollama/chat.ts";
import { ollamaDialect } from "../../../../src/core/protocol/dialects.ts";
import { ollamaEmbed, ollamaEmbeddings } from "../../../../src/core/protocol/table/vectors.ts";
import { ollamaGenerate } from "../../../../src/core/protocol/ollama/generate.ts";
import type { ConversationPart, Projection } from "../../../../src/core/protocol/base/protocol.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import { protocolContract, type ProtocolCase } from "../../../contract/protocol-contract.ts";
import { ollamaChatSdk, ollamaClient, ollamaGenerateSdk, statusOf } from "../../../support/ollama-sdk.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const model = "llama3.2";
const usage = { inputTokens: 26, outputTokens: 4 };
const says = (...parts: ConversationPart[]): Projection["messages"] => [{ role: "assistant", parts }];
const text = (value: string): ConversationPart => ({ type: "text", text: value });
const weather = (city: string): ConversationPart => ({
  type: "tool-call",
  name: "get_weather",
  arguments: `{"city":"${city}"}`,
});

const at =
  (path: string) =>
  (name: string, projection: Projection, ends: ProtocolCase["ends"] = "whole"): ProtocolCase => ({
    fixture: trafficFixture("ollama", name, { provider: "ollama", path }),
    ends,
    projection,
  });

const chat = at("/api/chat");

protocolContract("Ollama chat", {
  protocol: ollamaChat,
  dialect: ollamaDialect,
  sdk: ollamaChatSdk,
  path: "/api/chat",
  body: { model, messages: [{ role: "user", content: "Hi" }] },
  cases: [
    chat("chat", { messages: says(text("Hi!")), usage, finishReason: "stop", model }),
    chat("stream", { messages: says(text("Grüß dich 👋")), usage, finishReason: "stop", model, events: 3 }),
    chat("thinking", {
      messages: says({ type: "thinking", text: "Two and two." }, text("4")),
      usage,
      finishReason: "stop",
      model,
      events: 4,
    }),
    chat("tools", {
      messages: says(weather("Oslo"), weather("Rome")),
      usage,
      finishReason: "stop",
      model,
      events: 3,
    }),
    chat(
      "error-in-stream",
      {
        messages: [
          ...says(text("H")),
          {
            role: "error",
            parts: [text("an error was encountered while running the model: unexpected EOF")],
          },
        ],
        model,
        events: 2,
      },
      "failed",
    ),
    chat("cut", { messages: says(text("Hi")), model, events: 1 }, "cut"),
  ],
});

const generate = at("/api/generate");

protocolContract("Ollama generate", {
  protocol: ollamaGenerate,
  dialect: ollamaDialect,
  sdk: ollamaGenerateSdk,
  path: "/api/generate",
  body: { model, prompt: "Hi" },
  faults: [
    ["the body is empty", ""],
    ['"model" is missing', {}],
  ],
  cases: [
    generate("generate", { messages: says(text("Scattering.")), usage, finishReason: "stop", model }),
    generate("generate-stream", {
      messages: says(text("Scattering.")),
      usage,
      finishReason: "stop",
      model,
      events: 3,
    }),
  ],
});

const reply = (value: string): Projection["messages"] => [{ role: "reply", parts: [text(value)] }];

operationContract("Ollama embed", {
  protocol: ollamaEmbed,
  dialect: ollamaDialect,
  path: "/api/embed",
  sdk: {
    call: (fetch) => ollamaClient(fetch).embed({ model: "nomic-embed-text", input: ["a", "b"] }),
    statusOf,
  },
  faults: [
    ["the body is empty", ""],
    ['"input" is missing', { model }],
  ],
  cases: [
    at("/api/embed")("embed", {
      messages: reply("2 embeddings, 3 numbers each"),
      usage: { inputTokens: 8 },
      model: "nomic-embed-text",
    }),
  ],
});

operationContract("Ollama embeddings", {
  protocol: ollamaEmbeddings,
  dialect: ollamaDialect,
  path: "/api/embeddings",
  sdk: {
    call: (fetch) => ollamaClient(fetch).embeddings({ model: "nomic-embed-text", prompt: "a" }),
    statusOf,
  },
  faults: [['"prompt" is missing', { model }]],
  cases: [at("/api/embeddings")("embeddings", { messages: reply("1 embedding, 2 numbers") })],
});

describe("an Ollama request", () => {
  it("streams unless it says that it does not", () => {
    const streaming = (stream?: boolean): boolean =>
      ollamaChat.facts(
        aRequest({
          path: "/api/chat",
          body: { model, messages: [], ...(stream !== undefined && { stream }) },
        }),
      ).streaming;

    expect([streaming(), streaming(true), streaming(false)]).toEqual([true, true, false]);
  });

  it("is read with its pictures, results, system text and options", () => {
    const messages = [
      { role: "user", content: "Look", images: ["iVBORw0KGgo="] },
      { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] },
      { role: "tool", tool_name: "f", content: "done" },
    ];
    const asked = aRequest({
      path: "/api/chat",
      body: { model, messages, format: "json", options: { seed: 7 } },
    });
    const generated = aRequest({
      path: "/api/generate",
      body: { model, prompt: "Why?\nSay.", system: "Terse." },
    });

    const conversation = ollamaChat.conversation(asked);

    expect(conversation.messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ["text", "media"],
      ["tool-call"],
      ["tool-result"],
    ]);
    expect(conversation.settings).toEqual([
      ["format", "json"],
      ["seed", "7"],
    ]);
    expect(ollamaGenerate.facts(generated)).toEqual({ model, streaming: true, label: "Why?" });
    expect(ollamaGenerate.conversation(generated).messages[0]).toEqual({
      role: "system",
      parts: [text("Terse.")],
    });
    expect(ollamaGenerate.facts(aRequest({ path: "/api/generate", body: { model } })).label).toBe(
      "load the model",
    );
  });
});
