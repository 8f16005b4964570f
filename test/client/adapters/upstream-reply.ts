import type { IncomingReply, OutgoingRequest } from "../../../src/core/answer/source/source.ts";
import type { ClientName } from "./clients.ts";

/** What a provider answers: a text, a tool call and usage, whole or as a stream, or a failure in its own shape. */
export function upstreamReply(name: ClientName, request: OutgoingRequest, status: number): IncomingReply {
  if (status !== 200) return json(failure(name), status);
  const body = JSON.parse(Buffer.from(request.body).toString());
  const streaming =
    body.stream === true ||
    /streamGenerate/.test(request.url) ||
    body.parameters?.incremental_output === true;
  if (name === "gemini") return streaming ? sse(GEMINI_CHUNKS) : json(GEMINI);
  if (name === "ollama") return streaming ? lines(OLLAMA_CHUNKS) : json({ ...OLLAMA, done: true });
  if (name === "dashscope") return streaming ? dashscopeStream() : json(DASHSCOPE);
  if (name === "anthropic")
    return streaming ? sse(ANTHROPIC_EVENTS, (event) => `event: ${event["type"]}\n`) : json(ANTHROPIC);
  if (name.endsWith("responses")) return streaming ? sse(RESPONSE_EVENTS) : json(RESPONSE);
  return streaming ? sse(CHAT_CHUNKS, () => "", "data: [DONE]\n\n") : json(CHAT);
}

type Fields = Record<string, unknown>;

const ARGS = '{"city":"Paris"}';
const TEXT = "Let me see.";

const chatCall = { id: "c1", type: "function", function: { name: "weather", arguments: ARGS } };
const chatUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const chatHead = { id: "cmpl-1", created: 1, model: "m-1" };
const CHAT: Fields = {
  ...chatHead,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: TEXT, refusal: null, tool_calls: [chatCall] },
      finish_reason: "tool_calls",
    },
  ],
  usage: chatUsage,
};
const chatChunk = (delta: Fields, finish_reason: string | null = null): Fields => ({
  ...chatHead,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
const CHAT_CHUNKS: Fields[] = [
  chatChunk({ role: "assistant", content: "Let me" }),
  chatChunk({ content: " see." }),
  chatChunk({
    tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: '{"ci' } }],
  }),
  chatChunk({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Paris"}' } }] }),
  chatChunk({}, "tool_calls"),
  { ...chatHead, object: "chat.completion.chunk", choices: [], usage: chatUsage },
];

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: TEXT, annotations: [] }],
};
const called = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "c1",
  name: "weather",
  arguments: ARGS,
};
const RESPONSE: Fields = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m-1",
  output: [message, called],
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
};
const RESPONSE_EVENTS: Fields[] = [
  { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [], usage: null } },
  { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
  { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Let me" },
  { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: " see." },
  { type: "response.output_item.done", output_index: 0, item: message },
  { type: "response.output_item.added", output_index: 1, item: { ...called, arguments: "" } },
  { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"city":' },
  { type: "response.function_call_arguments.delta", output_index: 1, delta: '"Paris"}' },
  { type: "response.output_item.done", output_index: 1, item: called },
  { type: "response.completed", response: RESPONSE },
];

const ANTHROPIC: Fields = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m-1",
  content: [
    { type: "text", text: TEXT },
    { type: "tool_use", id: "c1", name: "weather", input: { city: "Paris" } },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 7 },
};
const ANTHROPIC_EVENTS: Fields[] = [
  {
    type: "message_start",
    message: { ...ANTHROPIC, content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXT } },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "c1", name: "weather", input: {} },
  },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: ARGS } },
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 7 },
  },
  { type: "message_stop" },
];

const geminiChunk = (parts: Fields[], more: Fields = {}): Fields => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  modelVersion: "m-1",
  responseId: "r1",
});
const geminiCall = { functionCall: { name: "weather", args: { city: "Paris" } } };
const GEMINI = geminiChunk([{ text: TEXT }, geminiCall], { finishReason: "STOP" });
const GEMINI_CHUNKS = [
  geminiChunk([{ text: "Let me" }]),
  geminiChunk([{ text: " see." }, geminiCall], { finishReason: "STOP" }),
];

const ollamaCall = { function: { name: "weather", arguments: { city: "Paris" } } };
const ollamaHead = { model: "m-1", created_at: "2026-01-01T00:00:00Z" };
const OLLAMA: Fields = {
  ...ollamaHead,
  message: { role: "assistant", content: TEXT, tool_calls: [ollamaCall] },
  done_reason: "stop",
  prompt_eval_count: 11,
  eval_count: 7,
};
const OLLAMA_CHUNKS: Fields[] = [
  { ...ollamaHead, message: { role: "assistant", content: "Let me" }, done: false },
  { ...ollamaHead, message: { role: "assistant", content: " see.", tool_calls: [ollamaCall] }, done: false },
  { ...OLLAMA, message: { role: "assistant", content: "" }, done: true },
];

const dashscopeChunk = (spoken: Fields, finish_reason: string): Fields => ({
  output: { choices: [{ message: { role: "assistant", ...spoken }, finish_reason }] },
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  request_id: "req-1",
});
const DASHSCOPE = dashscopeChunk({ content: TEXT, tool_calls: [{ index: 0, ...chatCall }] }, "tool_calls");

function dashscopeStream(): IncomingReply {
  const piece = (call: Fields): Fields => ({
    content: "",
    tool_calls: [{ index: 0, type: "function", ...call }],
  });
  const chunks = [
    dashscopeChunk({ content: "Let me" }, "null"),
    dashscopeChunk({ content: " see." }, "null"),
    dashscopeChunk(piece({ id: "c1", function: { name: "wea", arguments: "" } }), "null"),
    dashscopeChunk(piece({ id: "", function: { name: "ther", arguments: ARGS } }), "tool_calls"),
  ];
  return sse(chunks, (_, index) => `id:${index + 1}\nevent:result\n:HTTP_STATUS/200\n`);
}

function failure(name: ClientName): Fields {
  const text = "slow down";
  if (name === "anthropic") return { type: "error", error: { type: "rate_limit_error", message: text } };
  if (name === "gemini") return { error: { code: 429, message: text, status: "RESOURCE_EXHAUSTED" } };
  if (name === "ollama") return { error: text };
  if (name === "dashscope") return { code: "Throttling", message: text, request_id: "r" };
  return { error: { message: text, type: "requests", code: "rate_limit_exceeded" } };
}

function json(body: Fields, status = 200): IncomingReply {
  return { status, headers: [["content-type", "application/json"]], body: bytes([JSON.stringify(body)]) };
}

function sse(
  chunks: readonly Fields[],
  head: (chunk: Fields, index: number) => string = () => "",
  end = "",
): IncomingReply {
  const events = chunks.map((chunk, index) => `${head(chunk, index)}data: ${JSON.stringify(chunk)}\n\n`);
  return { status: 200, headers: [["content-type", "text/event-stream"]], body: bytes([...events, end]) };
}

function lines(chunks: readonly Fields[]): IncomingReply {
  const body = bytes(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`));
  return { status: 200, headers: [["content-type", "application/x-ndjson"]], body };
}

async function* bytes(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) if (text !== "") yield new TextEncoder().encode(text);
}
