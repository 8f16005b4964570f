import { type Answer, type Fields, SCHEMA_TOOL } from "./answer.ts";

const message = (content: readonly Fields[], more: Fields = {}): Answer => ({
  whole: {
    id: "r",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 5 },
    ...more,
  },
});
const messageStart = {
  type: "message_start",
  message: {
    id: "r",
    model: "m",
    content: [],
    usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 },
  },
};
const blockStart = (index: number, content_block: Fields): Fields => ({
  type: "content_block_start",
  index,
  content_block,
});
const blockDelta = (index: number, delta: Fields): Fields => ({ type: "content_block_delta", index, delta });
const messageEnd = (
  stop_reason = "end_turn",
  usage: Fields = { input_tokens: null, output_tokens: 7 },
): readonly Fields[] => [{ type: "message_delta", delta: { stop_reason }, usage }, { type: "message_stop" }];

export const ANTHROPIC: Readonly<Record<string, Answer>> = {
  "a text": message([{ type: "text", text: "Hi" }]),
  "an empty text": message([
    { type: "text", text: "" },
    { type: "text", text: "Hi" },
  ]),
  thoughts: message([
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "redacted_thinking", data: "c2Vh" },
    { type: "text", text: "Hi" },
  ]),
  "thoughts without a signature": message([
    { type: "thinking", thinking: "hm" },
    { type: "redacted_thinking" },
  ]),
  calls: message(
    [
      { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "c2", name: "g", input: {} },
      { type: "tool_use" },
    ],
    { stop_reason: "tool_use" },
  ),
  "the provider's own tool": message([
    { type: "server_tool_use", id: "s1", name: "web_search", input: { q: "x" } },
    { type: "text", text: "Hi" },
  ]),
  "a structured answer": {
    ...message([{ type: "tool_use", id: "c1", name: SCHEMA_TOOL, input: { city: "Rome" } }], {
      stop_reason: "tool_use",
    }),
    output: true,
  },
  "a structured answer that is empty": {
    ...message([{ type: "tool_use", id: "c1", name: SCHEMA_TOOL, input: {} }], { stop_reason: "tool_use" }),
    output: true,
  },
  "that tool, unasked": message(
    [{ type: "tool_use", id: "c1", name: SCHEMA_TOOL, input: { city: "Rome" } }],
    { stop_reason: "tool_use" },
  ),
  ...Object.fromEntries(
    ["stop_sequence", "max_tokens", "model_context_window_exceeded", "refusal", "pause_turn"].map(
      (stop_reason) => [`ended by ${stop_reason}`, message([{ type: "text", text: "Hi" }], { stop_reason })],
    ),
  ),
  "tokens of a cache": message([{ type: "text", text: "Hi" }], {
    usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
  }),
  "no tokens": message([{ type: "text", text: "Hi" }], { usage: {} }),
  "an error": { status: 529, whole: { type: "error", error: { type: "overloaded_error", message: "busy" } } },
  "a stream": {
    stream: [
      messageStart,
      blockStart(0, { type: "thinking", thinking: "h", signature: "" }),
      blockDelta(0, { type: "thinking_delta", thinking: "m" }),
      blockDelta(0, { type: "thinking_delta", thinking: "" }),
      blockDelta(0, { type: "signature_delta", signature: "c2ln" }),
      blockDelta(0, { type: "signature_delta" }),
      blockStart(1, { type: "text", text: "H" }),
      blockDelta(1, { type: "text_delta", text: "i" }),
      blockDelta(1, { type: "text_delta", text: "" }),
      blockStart(2, { type: "tool_use", id: "c1", name: "f", input: {} }),
      blockDelta(2, { type: "input_json_delta", partial_json: "" }),
      blockDelta(2, { type: "input_json_delta", partial_json: '{"a":1}' }),
      blockStart(3, { type: "tool_use", id: "c2", name: "g", input: {} }),
      blockStart(4, { type: "server_tool_use", id: "s1", name: "web_search" }),
      blockDelta(4, { type: "input_json_delta", partial_json: '{"q":1}' }),
      blockDelta(1, { type: "citations_delta", citation: {} }),
      { type: "ping" },
      ...messageEnd("tool_use"),
    ],
  },
  "a stream of a structured answer": {
    output: true,
    stream: [
      messageStart,
      blockStart(0, { type: "tool_use", id: "c1", name: SCHEMA_TOOL, input: {} }),
      blockDelta(0, { type: "input_json_delta", partial_json: '{"city":"Rome"}' }),
      ...messageEnd("tool_use"),
    ],
  },
  "a stream without numbers": {
    stream: [
      { type: "message_start" },
      { type: "content_block_start", content_block: { type: "text" } },
      { type: "content_block_delta", delta: { type: "text_delta", text: "H" } },
      { type: "content_block_delta", delta: { type: "text_delta" } },
      { type: "content_block_delta", delta: { type: "input_json_delta" } },
      { type: "content_block_delta", delta: { type: "thinking_delta" } },
      { type: "content_block_start", index: 1, content_block: { type: "thinking" } },
      { type: "message_delta", delta: {} },
      ...messageEnd("max_tokens", { cache_creation_input_tokens: null }),
      { type: "message_delta", delta: {} },
    ],
  },
  "a stream that is cut": { stream: [messageStart, blockStart(0, { type: "text", text: "H" })] },
  "a stream with an error": {
    stream: [messageStart, { type: "error", error: { type: "overloaded_error", message: "busy" } }],
  },
};
