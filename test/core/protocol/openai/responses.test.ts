import { describe, expect, it } from "vitest";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import {
  openaiResponseById,
  openaiResponses,
} from "../../../../src/core/protocol/openai/responses/protocol.ts";
import { bytesOf } from "../../../../src/core/base/wire/text.ts";
import { protocolContract } from "../../../contract/protocol-contract.ts";
import { openaiResponsesSdk } from "../../../support/openai-responses-sdk.ts";
import { casesOf, fails, says, text } from "../../../support/protocol-case.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const path = "/v1/responses";
const model = "gpt-5-mini-2025-08-07";
const usage = { inputTokens: 21, outputTokens: 9, cachedInputTokens: 16, reasoningTokens: 4 };
const aCase = casesOf("openai-responses", { provider: "openai", path });
const completed = { finishReason: "completed", model, usage };

protocolContract("OpenAI responses", {
  protocol: openaiResponses,
  dialect: openaiDialect,
  sdk: openaiResponsesSdk,
  path,
  body: { model: "gpt-5-mini", input: "Hi" },
  faults: [
    ["the body is empty", ""],
    ["not an object", "[]"],
    ['"model" is not a text', { model: 5, input: "Hi" }],
  ],
  cases: [
    aCase("response", {
      messages: says({ type: "thinking", text: "A greeting." }, text("Hi!")),
      ...completed,
    }),
    aCase("stream", { messages: says(text("Grüß dich 👋\n")), ...completed, events: 11 }),
    aCase("crlf", { messages: says(text("Hi!")), ...completed, events: 9 }),
    aCase("nameless", { messages: says(text("Hi!")), ...completed, events: 10 }),
    aCase("tools", {
      messages: says(
        { type: "other", description: "encrypted thinking", text: "" },
        { type: "tool-call", id: "ws_1", name: "web_search", arguments: '{"type":"search","query":"Oslo"}' },
        { type: "tool-call", id: "call_oslo", name: "get_weather", arguments: '{"city":"Oslo"}' },
      ),
      ...completed,
      events: 11,
    }),
    aCase("incomplete", {
      messages: says(text("Once upon")),
      ...completed,
      finishReason: "max_output_tokens",
      events: 9,
    }),
    aCase(
      "failed",
      {
        messages: [...says(text("H")), fails("server_error: The server had an error.")],
        finishReason: "failed",
        model,
        events: 6,
      },
      "failed",
    ),
    aCase(
      "error-in-stream",
      {
        messages: [...says(text("H")), fails("rate_limit_exceeded: Slow down.")],
        finishReason: "in_progress",
        model,
        events: 6,
      },
      "failed",
    ),
    aCase("cut", { messages: says(text("Hi")), finishReason: "in_progress", model, events: 6 }, "cut"),
  ],
});

describe("a request for a response", () => {
  it("is named by its text, by the last text of its user, or by its size", () => {
    const label = (body: object): string => openaiResponses.facts(aRequest({ path, body })).label;
    const items = [
      { role: "user", content: [{ type: "input_text", text: "Second\nquestion" }] },
      { type: "function_call_output", call_id: "c1", output: "3 °C" },
    ];

    expect(label({ model: "m", input: "One\nline" })).toBe("One");
    expect(label({ model: "m", input: [{ role: "user", content: "First" }, ...items] })).toBe("Second");
    expect(label({ model: "m", input: items.slice(1) })).toBe("response to 1 item");
    expect(label({ prompt: { id: "pmpt_1" } })).toBe("response");
  });

  it("is read as a conversation, whatever its items are", () => {
    const { request } = trafficFixture("openai-responses", "tools", { provider: "openai", path });
    const input = [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
          { type: "input_file", file_id: "file-1" },
        ],
      },
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
      { type: "function_call", call_id: "c1", name: "get_weather", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "3 °C" }] },
      { type: "custom_tool_call", call_id: "c2", name: "grep", input: "x" },
      { type: "custom_tool_call_output", call_id: "c2", output: "found" },
      { type: "code_interpreter_call", id: "ci_1", code: "1+1", outputs: [{ type: "logs", logs: "2" }] },
      { type: "mcp_call", id: "m1", name: "ask", arguments: "{}", error: "no such repository" },
      { type: "mcp_approval_response", approve: false, reason: "costly" },
      { type: "image_generation_call", id: "ig_1", result: "iVBORw0KGgo=", output_format: "png" },
      { type: "item_reference", id: "msg_7" },
      { type: "scent", scent: "rose" },
    ];
    const { messages } = openaiResponses.conversation(
      aRequest({ path, body: { model: "m", instructions: "Be terse.", input } }),
    );

    expect(openaiResponses.conversation(request).settings).toEqual([
      ["tools", "get_weather(city, unit?), web_search"],
    ]);
    expect(messages).toEqual([
      { role: "system", parts: [text("Be terse.")] },
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
            media: "file",
            description: "application/pdf, 6 bytes, a.pdf",
            url: "data:application/pdf;base64,JVBERg==",
          },
          { type: "media", media: "file", description: "file-1" },
        ],
      },
      { role: "assistant", parts: [{ type: "thinking", text: "Hm." }] },
      { role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "get_weather", arguments: "{}" }] },
      { role: "tool", parts: [{ type: "tool-result", id: "c1", text: "3 °C" }] },
      { role: "assistant", parts: [{ type: "tool-call", id: "c2", name: "grep", arguments: "x" }] },
      { role: "tool", parts: [{ type: "tool-result", id: "c2", text: "found" }] },
      {
        role: "assistant",
        parts: [
          { type: "tool-call", id: "ci_1", name: "code_interpreter", arguments: '{"code":"1+1"}' },
          { type: "tool-result", id: "ci_1", text: "2" },
        ],
      },
      {
        role: "assistant",
        parts: [
          { type: "tool-call", id: "m1", name: "ask", arguments: "{}" },
          { type: "tool-result", id: "m1", text: "error: no such repository" },
        ],
      },
      { role: "assistant", parts: [{ type: "other", description: "declined", text: "costly" }] },
      {
        role: "assistant",
        parts: [
          {
            type: "media",
            media: "image",
            description: "8 bytes, png",
            url: "data:image/png;base64,iVBORw0KGgo=",
          },
        ],
      },
      { role: "assistant", parts: [{ type: "other", description: "earlier item", text: "msg_7" }] },
      {
        role: "assistant",
        parts: [{ type: "other", description: "scent", text: '{"type":"scent","scent":"rose"}' }],
      },
    ]);
  });
});

describe("a response in the background", () => {
  const body = (status: string, background: boolean): Uint8Array =>
    bytesOf(
      JSON.stringify({ id: "resp_1", object: "response", status, background, error: null, output: [] }),
    );

  it.each([
    ["queued", true, true, false],
    ["in_progress", true, true, false],
    ["in_progress", false, false, false],
    ["completed", true, true, true],
    ["incomplete", false, true, true],
    ["cancelled", true, true, true],
    ["failed", true, false, false],
  ])("that is %s (background %s) is whole when made: %s, when looked at: %s", (status, back, made, seen) => {
    expect(openaiResponses.isWhole(body(status, back))).toBe(made);
    expect(openaiResponseById.isWhole(body(status, back))).toBe(seen);
  });

  it("says that it is not finished where it is looked at", () => {
    expect(openaiResponseById.unfinished?.(body("queued", true))).toBe(
      "The response resp_1 is queued, not finished",
    );
    expect(openaiResponseById.unfinished?.(body("completed", true))).toBeUndefined();
    expect(openaiResponses.project({ status: 200, body: body("queued", true) }).finishReason).toBe("queued");
  });

  it("is looked at by the name that its reply gave, with a stream where that is asked for", () => {
    const byId = "/v1/responses/resp_1?stream=true&starting_after=3";
    const request = { provider: "openai", method: "GET", path: byId, body: { kind: "empty" } } as const;

    expect(openaiResponseById.facts(request)).toEqual({ streaming: true, label: "response resp_1" });
    expect(openaiResponseById.conversation(request).settings).toEqual([
      ["stream", "true"],
      ["starting_after", "3"],
    ]);
    expect(openaiResponseById.compose({ text: "Hi" }, request).contentType).toContain("event-stream");
  });
});

describe("which requests are about responses", () => {
  it.each([
    ["POST", "/v1/responses", "responses"],
    ["POST", "/responses", "responses"],
    ["POST", "/openai/v1/responses", "responses"],
    ["GET", "/v1/responses/resp_1", "responses.retrieve"],
    ["POST", "/v1/responses/resp_1/cancel", "responses.cancel"],
    ["GET", "/v1/responses/resp_1/input_items", "responses.input_items"],
    ["DELETE", "/v1/responses/resp_1", "responses.delete"],
    ["POST", "/v1/responses/input_tokens", "responses.input_tokens"],
    ["POST", "/v1/responses/compact", "responses.compact"],
    ["GET", "/v1/responses", undefined],
  ])("%s %s: %s", (method, pathname, expected) => {
    const found = openaiDialect.operations.find((one) => one.accepts(method, pathname));

    expect(found?.operation).toBe(expected);
  });
});
