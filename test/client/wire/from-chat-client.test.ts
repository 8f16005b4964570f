import { expect, test } from "vitest";
import { given, pageOf, shown } from "../bad-input/cells.ts";
import type { ChatClient } from "../../../src/client/chat-client.ts";
import type { ChatReply, StreamEvent } from "../../../src/client/reply.ts";
import type { CompletionParams } from "../../../src/client/wire/completions.ts";
import { completionsOf, createCompletionRequest } from "../../../src/client/wire/from-chat-client.ts";

const HI = [{ role: "user", content: "hi" }];
const CALL = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const f = { name: "f", description: "does", parameters: { type: "object" } };
const tools = [
  { type: "function", function: f },
  { type: "function", function: { name: "g" } },
];
const picture = (more: object = {}): object => ({ type: "image_url", image_url: { url: "u", ...more } });

const PARAMS: readonly object[] = [
  {},
  { max_tokens: 5 },
  { max_completion_tokens: 5 },
  { temperature: 0, top_p: 0.5 },
  { frequency_penalty: 1, presence_penalty: 2 },
  { seed: 3, parallel_tool_calls: false },
  { temperature: null, stop: null, user: undefined },
  { stop: "a" },
  { stop: ["a", "b"] },
  { user: "u", extra_body: { top_k: 1 }, stream: true, timeout: 3 },
  { user: "u" },
  { tools: [], tool_choice: "required" },
  { tools },
  { tools, tool_choice: "none" },
  { tools, tool_choice: "required" },
  { tools, tool_choice: "auto" },
  { tools, tool_choice: { type: "function", function: { name: "f" } } },
  { tools: [{ function: f }, { function: { name: "" } }] },
  { tools: [{ name: "f" }] },
];

const MESSAGES: readonly object[] = [
  { role: "developer", content: "x" },
  { role: "user", content: "x", name: "Ann" },
  { role: "user", content: ["a", { type: "text", text: "b" }] },
  { role: "user", content: [picture({ detail: "low" })] },
  { role: "user", content: [picture()] },
  { role: "assistant", content: null, tool_calls: [CALL, { function: { name: "g", arguments: "" } }] },
  { role: "assistant" },
  { role: "tool", tool_call_id: "c", content: "r", name: "f" },
  { role: "tool", content: [{ type: "text", text: "r" }, picture()] },
  { role: "robot" },
  { content: "x" },
  { role: "user", content: 5 },
  { role: "user", content: [{ type: "text", text: "a" }, { type: "file" }] },
  { role: "user", content: [{}] },
];

test("a request in OpenAI's form is the core's, or is refused with its place, as the page beside this test has it", async () => {
  const asked = (params: object) => () =>
    createCompletionRequest(given({ model: "m", messages: HI, ...params }));
  const page = await pageOf([
    ...PARAMS.map((params) => [shown(params), asked(params)] as const),
    ...MESSAGES.map((message) => [shown(message), asked({ messages: [message] })] as const),
  ]);

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("completion-requests.txt");
});

test("time and signal of a sending go with its request", () => {
  const { signal } = new AbortController();

  expect(createCompletionRequest({ messages: HI }, { timeoutMs: 5, signal })).toMatchObject({
    settings: { timeoutMs: 5 },
    signal,
  });
});

function clientOf(reply: Partial<ChatReply>, events: readonly StreamEvent[] = []): ChatClient {
  return {
    provider: "test",
    model: "m",
    complete: async () => ({
      message: { role: "assistant", parts: [] },
      finishReason: "stop",
      ...reply,
    }),
    async *stream() {
      yield* events;
    },
  };
}

const USAGE = {
  uncachedInputTokens: 1,
  cacheReadTokens: 2,
  cacheWriteTokens: 4,
  outputTokens: 8,
  reasoningTokens: 3,
};
const WIRE_USAGE = {
  prompt_tokens: 7,
  completion_tokens: 8,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const ASK = { model: "m", messages: HI } as CompletionParams;

const REPLIES: Readonly<Record<string, Partial<ChatReply>>> = {
  "an empty answer": {},
  "texts and thoughts, each joined": {
    id: "r",
    model: "o",
    usage: USAGE,
    message: {
      role: "assistant",
      parts: [
        { type: "thinking", text: "t" },
        { type: "text", text: "a" },
        { type: "thinking", text: "u" },
        { type: "text", text: "b" },
      ],
    },
  },
  "a call, whose text is null": {
    finishReason: "tool-calls",
    message: { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "f", arguments: "{}" }] },
  },
  ...Object.fromEntries(
    (["length", "content-filter", "other", "error"] as const).map((finishReason) => [
      `the end ${finishReason}`,
      { finishReason },
    ]),
  ),
};

test("an answer is reported as OpenAI does, as the page beside this test has it", async () => {
  const page = await pageOf(
    Object.entries(REPLIES).map(([what, reply]) => [
      what,
      () => completionsOf(clientOf(reply)).create(ASK, {}),
    ]),
  );

  await expect(page).toMatchFileSnapshot("completion-replies.txt");
});

test("a stream is OpenAI's chunks, with calls by their index", async () => {
  const call = (index: number, id: string, text: string): StreamEvent =>
    given({ type: "tool-call", index, id, name: "f", arguments: text });
  const events: readonly StreamEvent[] = [
    { type: "start", id: "s" },
    { type: "thinking", index: 0, text: "t" },
    { type: "text", index: 1, text: "a" },
    call(7, "x", "{"),
    call(3, "y", "{}"),
    call(7, "x", "}"),
    { type: "finish", reason: "tool-calls" },
    { type: "usage", usage: USAGE },
  ];
  const chunks: unknown[] = [];
  const stream = await completionsOf(clientOf({}, events)).create({ ...ASK, stream: true }, {});
  for await (const chunk of stream as AsyncIterable<unknown>) chunks.push(chunk);

  const chunk = (delta: object, finish: string | null = null): object => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const called = (index: number, id: string, text: string): object =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name: "f", arguments: text } }] });
  expect(chunks).toEqual([
    chunk({ reasoning_content: "t" }),
    chunk({ content: "a" }),
    called(0, "x", "{"),
    called(1, "y", "{}"),
    called(0, "x", "}"),
    chunk({}, "tool_calls"),
    { choices: [], usage: WIRE_USAGE },
  ]);
});
