import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../src/core/protocol/dialects.ts";
import { anthropicMessages } from "../../../../src/core/protocol/anthropic/protocol.ts";
import type { ConversationPart, Projection } from "../../../../src/core/protocol/base/protocol.ts";
import { protocolContract, type ProtocolCase } from "../../../contract/protocol-contract.ts";
import { anthropicSdk } from "../../../support/anthropic-sdk.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const path = "/v1/messages?beta=true";
const model = "claude-sonnet-4-6";

const says = (...parts: ConversationPart[]): Projection["messages"] => [{ role: "assistant", parts }];
const text = (value: string): ConversationPart => ({ type: "text", text: value });
const weather = (id: string, city: string): ConversationPart => ({
  type: "tool-call",
  id,
  name: "get_weather",
  arguments: `{"city":"${city}"}`,
});

function aCase(name: string, projection: Projection, ends: ProtocolCase["ends"] = "whole"): ProtocolCase {
  return {
    fixture: trafficFixture("anthropic-messages", name, { provider: "anthropic", path }),
    ends,
    projection,
  };
}

const greeting = {
  messages: says(text("Grüß dich 👋\n")),
  usage: { inputTokens: 21, outputTokens: 6, cachedInputTokens: 0 },
  finishReason: "end_turn",
  model,
  events: 8,
};

protocolContract("Anthropic messages", {
  protocol: anthropicMessages,
  dialect: anthropicDialect,
  sdk: anthropicSdk,
  path,
  body: { model: "claude-sonnet-4-6", max_tokens: 64, messages: [{ role: "user", content: "Hi" }] },
  cases: [
    aCase("message", {
      messages: says(text("Hi!")),
      usage: { inputTokens: 23, outputTokens: 5, cachedInputTokens: 16 },
      finishReason: "end_turn",
      model,
    }),
    aCase("stream", greeting),
    aCase("crlf", greeting),
    aCase("tools", {
      messages: says(text("Looking."), weather("toolu_oslo", "Oslo"), weather("toolu_rome", "Rome")),
      usage: { inputTokens: 21, outputTokens: 40, cachedInputTokens: 0 },
      finishReason: "tool_use",
      model,
      events: 15,
    }),
    aCase("tool-results", {
      messages: says(text("3 °C in Oslo."), weather("toolu_rome", "Rome")),
      usage: { inputTokens: 90, outputTokens: 30 },
      finishReason: "tool_use",
      model,
    }),
    aCase("thinking", {
      messages: says(
        { type: "thinking", text: "Two and two." },
        { type: "other", description: "redacted thinking", text: "" },
        text("4"),
      ),
      usage: { inputTokens: 10, outputTokens: 12, cachedInputTokens: 0 },
      finishReason: "end_turn",
      model,
      events: 13,
    }),
    aCase(
      "error-in-stream",
      {
        messages: [...says(text("H")), { role: "error", parts: [text("overloaded_error: Overloaded")] }],
        usage: { inputTokens: 21, outputTokens: 1, cachedInputTokens: 0 },
        model,
        events: 4,
      },
      "failed",
    ),
    aCase(
      "cut",
      {
        messages: says(text("Hi")),
        usage: { inputTokens: 21, outputTokens: 1, cachedInputTokens: 0 },
        model,
        events: 4,
      },
      "cut",
    ),
  ],
});

describe("an Anthropic request", () => {
  it("is read as a conversation, with the system text in front and pictures after a tool's text", () => {
    const { request } = trafficFixture("anthropic-messages", "tool-results", { provider: "anthropic", path });

    const conversation = anthropicMessages.conversation(request);

    expect(conversation).toEqual({
      messages: [
        { role: "user", parts: [text("Weather in Oslo and Rome?")] },
        { role: "assistant", parts: [weather("toolu_oslo", "Oslo")] },
        {
          role: "user",
          parts: [
            { type: "tool-result", id: "toolu_oslo", text: "3 °C" },
            {
              type: "media",
              media: "image",
              description: "image/png, 9 bytes",
              url: "data:image/png;base64,iVBORw0KGgo=",
            },
          ],
        },
      ],
      settings: [
        ["max_tokens", "1024"],
        ["tools", "get_weather(city, unit?), web_search"],
      ],
    });
    expect(anthropicMessages.facts(request).label).toBe("Weather in Oslo and Rome?");
  });

  it("is read whatever its blocks are", () => {
    const results = [
      { type: "web_search_result", title: "Oslo", url: "https://oslo.example", encrypted_content: "x" },
    ];
    const content = [
      {
        type: "document",
        title: "Report",
        source: { type: "text", media_type: "text/plain", data: "All fine." },
      },
      { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
      { type: "image", source: { type: "file", file_id: "file_1" } },
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "Oslo" } },
      { type: "web_search_tool_result", tool_use_id: "s1", content: results },
      { type: "mcp_tool_use", id: "m1", name: "ask", server_name: "wiki", input: {} },
      { type: "mcp_tool_result", tool_use_id: "m1", is_error: true, content: [{ type: "text", text: "no" }] },
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "b1",
        content: { type: "bash_result", stdout: "1" },
      },
      { type: "compaction", content: "short" },
      { type: "scent" },
    ];
    const system = [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }];
    const body = { model: "m", max_tokens: 1, system, messages: [{ role: "user", content }] };

    const { messages } = anthropicMessages.conversation(aRequest({ path, body }));

    expect(messages).toEqual([
      { role: "system", parts: [text("Be kind.")] },
      {
        role: "user",
        parts: [
          { type: "other", description: "document Report", text: "All fine." },
          { type: "media", media: "file", description: "file", url: "https://example.com/a.pdf" },
          { type: "media", media: "image", description: "file_1" },
          { type: "tool-call", id: "s1", name: "web_search", arguments: '{"query":"Oslo"}' },
          { type: "tool-result", id: "s1", text: "Oslo https://oslo.example" },
          { type: "tool-call", id: "m1", name: "ask", arguments: "{}" },
          { type: "tool-result", id: "m1", text: "error: no" },
          { type: "tool-result", id: "b1", text: '{"type":"bash_result","stdout":"1"}' },
          { type: "other", description: "compaction", text: "short" },
          { type: "other", description: "scent", text: '{"type":"scent"}' },
        ],
      },
    ]);
  });

  it("is read with what the provider's tools gave back, and with what a text cites", () => {
    const page = {
      type: "web_search_result_location",
      url: "https://oslo.example",
      title: "Oslo",
      cited_text: "3 °C\nnow",
    };
    const passage = {
      type: "char_location",
      document_index: 0,
      document_title: "Report",
      cited_text: "fine",
    };
    const fetched = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "All fine." },
    };
    const content = [
      { type: "text", text: "It is 3 °C.", citations: [page, page, passage, { type: "scent" }] },
      {
        type: "web_fetch_tool_result",
        tool_use_id: "f1",
        content: { type: "web_fetch_result", url: "https://a.example", content: fetched },
      },
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "b1",
        content: { type: "bash_code_execution_result", stdout: "1\n", stderr: "oh", return_code: 2 },
      },
      {
        type: "tool_search_tool_result",
        tool_use_id: "t1",
        content: {
          type: "tool_search_tool_search_result",
          tool_references: [{ type: "tool_reference", tool_name: "get_weather" }],
        },
      },
      { type: "search_result", title: "Notes", source: "n1", content: [{ type: "text", text: "Rain." }] },
    ];
    const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content }] };

    const { messages } = anthropicMessages.conversation(aRequest({ path, body }));

    expect(messages[0]?.parts).toEqual([
      text("It is 3 °C."),
      { type: "other", description: "cites", text: 'Oslo https://oslo.example: "3 °C now"\nReport: "fine"' },
      { type: "tool-result", id: "f1", text: "https://a.example\nAll fine." },
      { type: "tool-result", id: "b1", text: "1\n\noh\nexit code 2" },
      { type: "tool-result", id: "t1", text: "get_weather" },
      { type: "other", description: "document Notes n1", text: "Rain." },
    ]);
  });

  it("lists what else was asked in words, without a server's credential", () => {
    const body = {
      max_tokens: 5,
      thinking: { type: "enabled", budget_tokens: 1024 },
      tool_choice: { type: "tool", name: "get_weather", disable_parallel_tool_use: true },
      mcp_servers: [
        { type: "url", name: "wiki", url: "https://wiki.example", authorization_token: "s3cret" },
      ],
      metadata: { user_id: "u 1" },
      model: "m",
      messages: [],
    };

    const { settings } = anthropicMessages.conversation(aRequest({ path, body }));

    expect(settings).toEqual([
      ["max_tokens", "5"],
      ["thinking", "enabled, budget_tokens 1024"],
      ["tool_choice", "get_weather, disable_parallel_tool_use true"],
      ["mcp_servers", "wiki"],
      ["metadata", 'user_id "u 1"'],
    ]);
  });
});

describe("an Anthropic stream", () => {
  it("gives a message for every message_start, with the usage and reason of the last", () => {
    const message = (reason: string): string =>
      [
        { type: "message_start", message: { role: "assistant", model: "m", usage: { input_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: reason } },
        { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 2 } },
        { type: "message_stop" },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join("");
    const body = Buffer.from(message("tool_use") + message("end_turn"));

    expect(anthropicMessages.project({ status: 200, contentType: "text/event-stream", body })).toEqual({
      messages: [...says(text("tool_use")), ...says(text("end_turn"))],
      usage: { inputTokens: 1, outputTokens: 2 },
      finishReason: "end_turn",
      model: "m",
      events: 8,
    });
  });

  it("keeps the citations of a text, which come in events of their own", () => {
    const citation = { type: "char_location", document_title: "Report", cited_text: "fine" };
    const body = [
      { type: "message_start", message: { role: "assistant", model: "m", usage: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "All fine." } },
      { type: "message_stop" },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");

    const { messages } = anthropicMessages.project({
      status: 200,
      contentType: "text/event-stream",
      body: Buffer.from(body),
    });

    expect(messages).toEqual(
      says(text("All fine."), { type: "other", description: "cites", text: 'Report: "fine"' }),
    );
  });

  it("is terminal by its event's name, and by its data where there is no name", () => {
    expect(anthropicMessages.stream?.isTerminal('data: {"type":"message_stop"}\n\n')).toBe(true);
    expect(anthropicMessages.stream?.isTerminal('event: ping\ndata: {"type":"message_stop"}\n\n')).toBe(
      false,
    );
    expect(anthropicMessages.stream?.mayBeTerminal('data: {"type":"message_st')).toBe(true);
  });
});

describe("which requests are messages", () => {
  it.each([
    ["POST", "/v1/messages", true],
    ["GET", "/v1/messages", false],
    ["POST", "/v1/messages/count_tokens", false],
    ["POST", "/v1/messages/batches", false],
  ])("%s %s: %s", (method, pathname, expected) => {
    expect(anthropicMessages.accepts(method, pathname)).toBe(expected);
  });
});
