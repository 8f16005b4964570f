import { describe, expect, it } from "vitest";
import { openaiChat } from "../../../../src/core/protocol/openai/chat/protocol.ts";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import type { ConversationPart, Projection } from "../../../../src/core/protocol/base/protocol.ts";
import { protocolContract, type ProtocolCase } from "../../../contract/protocol-contract.ts";
import { openaiSdk } from "../../../support/openai-sdk.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const path = "/v1/chat/completions";
const model = "gpt-4o-mini-2024-07-18";

const says = (...parts: ConversationPart[]): Projection["messages"] => [{ role: "assistant", parts }];
const text = (value: string): ConversationPart => ({ type: "text", text: value });
const weather = (id: string, city: string): ConversationPart => ({
  type: "tool-call",
  id,
  name: "get_weather",
  arguments: `{"city":"${city}"}`,
});

function aCase(name: string, projection: Projection, ends: ProtocolCase["ends"] = "whole"): ProtocolCase {
  return { fixture: trafficFixture("openai-chat", name, { provider: "openai", path }), ends, projection };
}

protocolContract("OpenAI chat completions", {
  protocol: openaiChat,
  dialect: openaiDialect,
  sdk: openaiSdk,
  path,
  body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] },
  cases: [
    aCase("chat", {
      messages: says(text("Hi!")),
      usage: { inputTokens: 21, outputTokens: 2, cachedInputTokens: 16, reasoningTokens: 0 },
      finishReason: "stop",
      model,
    }),
    aCase("stream", {
      messages: says(text("Grüß dich 👋\n")),
      usage: { inputTokens: 21, outputTokens: 4, cachedInputTokens: 0, reasoningTokens: 0 },
      finishReason: "stop",
      model,
      events: 6,
    }),
    aCase("tools", {
      messages: says(weather("call_oslo", "Oslo"), weather("call_rome", "Rome")),
      finishReason: "tool_calls",
      model,
      events: 9,
    }),
    aCase("tool-results", {
      messages: [...says(weather("call_rome", "Rome")), ...says(text("3 °C in Oslo."))],
      usage: { inputTokens: 70, outputTokens: 30 },
      finishReason: "tool_calls, stop",
      model,
    }),
    aCase("thinking", {
      messages: says({ type: "thinking", text: "Two and two." }, text("4")),
      usage: { inputTokens: 8, outputTokens: 6, cachedInputTokens: 0, reasoningTokens: 5 },
      finishReason: "stop",
      model: "deepseek-reasoner",
      events: 6,
    }),
    aCase("choices", {
      messages: [...says(text("Hi!")), ...says(text("Yo"))],
      finishReason: "length, stop",
      model,
      events: 8,
    }),
    aCase("crlf", { messages: says(text("Hi!")), finishReason: "stop", model, events: 3 }),
    aCase("refusal", {
      messages: says({ type: "other", description: "refusal", text: "I cannot help with that." }),
      usage: { inputTokens: 5, outputTokens: 7 },
      finishReason: "stop",
      model,
    }),
    aCase(
      "error-in-stream",
      {
        messages: [
          ...says(text("H")),
          {
            role: "error",
            parts: [text("server_error: The server had an error while processing your request.")],
          },
        ],
        model,
        events: 3,
      },
      "failed",
    ),
    aCase("cut", { messages: says(text("Hi")), model, events: 2 }, "cut"),
  ],
});

describe("an OpenAI chat request", () => {
  it("is named by the first line of the last text that the user wrote", () => {
    const messages = [
      { role: "system", content: "You are terse." },
      { role: "user", content: "First question" },
      { role: "user", content: [{ type: "text", text: "\n  Second question \nwith details" }] },
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
      { role: "assistant", content: "An answer" },
    ];

    const facts = openaiChat.facts(aRequest({ path, body: { model: "m", messages, stream: true } }));

    expect(facts).toEqual({ model: "m", streaming: true, label: "Second question" });
  });

  it("is named by 80 characters of a long text, and by its size where there is no text", () => {
    const label = (content: unknown): string =>
      openaiChat.facts(aRequest({ path, body: { model: "m", messages: [{ role: "user", content }] } })).label;

    expect(label("👋".repeat(80))).toBe("👋".repeat(80));
    expect(label("👋".repeat(81))).toBe(`${"👋".repeat(79)}…`);
    expect(label(null)).toBe("chat with 1 message");
  });

  it("needs no model where Azure has it in the path", () => {
    const azure = "/openai/deployments/gpt-4o/chat/completions?api-version=2024-12-01-preview";

    expect(openaiChat.facts(aRequest({ path: azure, body: { messages: [] } }))).toEqual({
      streaming: false,
      label: "chat with 0 messages",
    });
    expect(() => openaiChat.facts(aRequest({ path, body: { messages: [] } }))).toThrow('"model" is missing');
  });

  it("is read as a conversation, whatever its parts are", () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "mp3" } },
      { type: "file", file: { file_id: "file-1" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" } },
    ];
    const call = { name: "old_tool", arguments: "{}" };
    const messages = [
      { role: "developer", content: "Be kind." },
      { role: "user", content },
      { role: "assistant", content: null, refusal: "No.", function_call: call },
      { role: "assistant", tool_calls: [{ id: "c1", type: "custom", custom: { name: "grep", input: "x" } }] },
      { role: "function", name: "old_tool", content: "done" },
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "found" }] },
    ];

    const conversation = openaiChat.conversation(aRequest({ path, body: { model: "m", messages } }));

    expect(conversation.messages).toEqual([
      { role: "developer", parts: [text("Be kind.")] },
      {
        role: "user",
        parts: [
          text("Look"),
          {
            type: "media",
            media: "image",
            description: "image/png, 9 bytes, detail low",
            url: "data:image/png;base64,iVBORw0KGgo=",
          },
          {
            type: "media",
            media: "audio",
            description: "audio/mp3, 6 bytes",
            url: "data:audio/mp3;base64,UklGRg==",
          },
          { type: "media", media: "file", description: "file-1" },
          {
            type: "media",
            media: "file",
            description: "application/pdf, 6 bytes, a.pdf",
            url: "data:application/pdf;base64,JVBERg==",
          },
        ],
      },
      {
        role: "assistant",
        parts: [
          { type: "other", description: "refusal", text: "No." },
          { type: "tool-call", name: "old_tool", arguments: "{}" },
        ],
      },
      { role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "grep", arguments: "x" }] },
      { role: "function", parts: [{ type: "tool-result", id: "old_tool", text: "done" }] },
      { role: "tool", parts: [{ type: "tool-result", id: "c1", text: "found" }] },
    ]);
  });

  it("lists what else was asked in wire order and in words", () => {
    const parameters = { type: "object", properties: { city: {}, unit: {} }, required: ["city"] };
    const body = `{"seed": 9007199254740993, "model": "m", "temperature": 0.20, "stop": ["\\n", "END"],
      "tools": [{"type":"function","function":{"name":"get_weather","parameters":${JSON.stringify(parameters)}}},
        {"type":"custom","custom":{"name":"grep"}}, {"type":"web_search"}],
      "tool_choice": {"type":"function","function":{"name":"get_weather"}}, "parallel_tool_calls": false,
      "response_format": {"type":"json_schema","json_schema":{"name":"Answer","strict":true,"schema":${JSON.stringify(parameters)}}},
      "messages": [], "stream": true, "stream_options": {"include_usage": true}, "user": "two words"}`;

    const { settings } = openaiChat.conversation(aRequest({ path, body }));

    expect(settings).toEqual([
      ["seed", "9007199254740993"],
      ["temperature", "0.20"],
      ["stop", '"\\n", END'],
      ["tools", "get_weather(city, unit?), grep, web_search"],
      ["tool_choice", "get_weather"],
      ["parallel_tool_calls", "false"],
      ["response_format", "json_schema Answer(city, unit?), strict"],
      ["stream_options", "include_usage true"],
      ["user", "two words"],
    ]);
  });
});

describe("an OpenAI chat stream", () => {
  it.each([
    ["data:[DONE]\n\n", true],
    ["event: done\ndata: [DONE]\n\n", true],
    [": note\r\ndata: [DONE]\r\n\r\n", true],
    ['data: {"choices":[{"delta":{"content":"[DONE]"}}]}\n\n', false],
    ["event: [DONE]\n\n", false],
  ])("ends with [DONE] and nothing else: %j", (frame, expected) => {
    expect(openaiChat.stream?.isTerminal(frame)).toBe(expected);
  });

  it("is not failed by a null error or by the word in a text", () => {
    expect(openaiChat.stream?.isError('data: {"error":null,"choices":[]}\n\n')).toBe(false);
    expect(openaiChat.stream?.isError('data: {"choices":[{"delta":{"content":"\\"error\\""}}]}\n\n')).toBe(
      false,
    );
    expect(openaiChat.stream?.isError('data: {"error":{"message":"no"},"choices":[]}\n\n')).toBe(true);
  });

  it("has usage where Groq puts it", () => {
    const body = Buffer.from(
      'data: {"choices":[],"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":4}}}\n\ndata: {"usage":null}\n\n',
    );

    expect(openaiChat.project({ status: 200, body }).usage).toEqual({ inputTokens: 3, outputTokens: 4 });
  });

  it("tells calls apart by id where a server gives all of them the same index", () => {
    const chunk = (id: string): string =>
      `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"${id}","function":{"name":"f","arguments":"{}"}}]}}]}\n\n`;

    const { messages } = openaiChat.project({ status: 200, body: Buffer.from(chunk("a") + chunk("b")) });

    expect(messages).toEqual(
      says(
        { type: "tool-call", id: "a", name: "f", arguments: "{}" },
        { type: "tool-call", id: "b", name: "f", arguments: "{}" },
      ),
    );
  });
});

describe("what providers that speak alike do otherwise", () => {
  const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
  const body = (...events: string[]): Uint8Array => Buffer.from(events.join(""));

  it.each([
    ["Groq, in its own member", { x_groq: { id: "1", error: "over_capacity" }, choices: [] }],
    ["OpenRouter, in a choice", { choices: [{ delta: {}, error: { code: 502, message: "gone" } }] }],
    ["OpenRouter, beside the choices", { error: { code: 502, message: "gone" }, choices: [] }],
  ])("a failure inside of an answer: %s", (_who, chunk) => {
    expect(openaiChat.stream?.isError(event(chunk))).toBe(true);
    expect(openaiChat.isWhole(Buffer.from(JSON.stringify(chunk)))).toBe(false);
    expect(openaiChat.project({ status: 200, body: body(event(chunk)) }).messages.at(-1)?.role).toBe("error");
  });

  it("xAI counts thoughts beside the answer, others as part of it", () => {
    const usageOf = (total_tokens: number) => {
      const usage = {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens,
        completion_tokens_details: { reasoning_tokens: 7 },
      };
      return openaiChat.project({ status: 200, body: Buffer.from(JSON.stringify({ choices: [], usage })) })
        .usage;
    };

    expect(usageOf(22)).toEqual({ inputTokens: 10, outputTokens: 12, reasoningTokens: 7 });
    expect(usageOf(15)).toEqual({ inputTokens: 10, outputTokens: 5, reasoningTokens: 7 });
  });
});

describe("which requests are chat completions", () => {
  it.each([
    ["POST", "/v1/chat/completions", true],
    ["POST", "/api/v1/chat/completions", true],
    ["POST", "/openai/deployments/gpt-4o/chat/completions", true],
    ["GET", "/v1/chat/completions", false],
    ["POST", "/v1/completions", false],
    ["POST", "/v1/chat/completions/chatcmpl-1", false],
  ])("%s %s: %s", (method, pathname, expected) => {
    expect(openaiChat.accepts(method, pathname)).toBe(expected);
  });
});
