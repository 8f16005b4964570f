import { calling, type Answer, type Fields } from "./answer.ts";

const chat = (message: Fields, more: Fields = {}, finish = "stop"): Answer => ({
  whole: { id: "r", model: "m", choices: [{ index: 0, message, finish_reason: finish }], ...more },
});
const chunk = (delta: Fields, more: Fields = {}, finish: string | null = null): Fields => ({
  id: "r",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const used = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const CHAT: Readonly<Record<string, Answer>> = {
  "a text": chat({ content: "Hi" }, { usage: used }),
  "no choice": { whole: { id: "r", choices: [] } },
  "a stream that begins late": {
    stream: [
      { choices: [{ index: 1, delta: { content: "other" } }] },
      { id: "r", choices: [{ index: 1, delta: { content: "other" } }, { delta: { content: "H" } }] },
      { id: "r", choices: [] },
      chunk({ content: "i" }, {}, "stop"),
    ],
  },
  "a stream of calls that follow each other": {
    stream: [
      chunk({ tool_calls: [{ function: { name: "f", arguments: "{" } }] }),
      chunk({ tool_calls: [{ function: { arguments: "}" } }] }),
      chunk({ tool_calls: [{ id: "c2", custom: { name: "g", arguments: { a: 1 } } }] }),
      chunk({ tool_calls: [{ index: 3, id: "c3", function: { name: "h", arguments: 5 } }] }, {}, "stop"),
    ],
  },
  "a stream with an error of a status": {
    stream: [chunk({ content: "H" }), { error: { code: 429, message: "slow" } }],
  },
  "a stream with an error of a text": { stream: [{ error: { code: "400", message: "" } }] },
  "a stream with an error of no status": { stream: [{ error: { code: 399, message: "odd" } }] },
  "a sound in a stream": {
    stream: [
      chunk({ audio: { id: "a1", transcript: "H" } }),
      chunk({ audio: { id: "a1", data: "aGk=" } }),
      chunk({ audio: { id: "a1", data: "", transcript: "" } }),
      chunk({}, {}, "stop"),
    ],
  },
  "no id": { whole: { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] } },
  "several choices": {
    whole: {
      choices: [1, 0].map((index) => ({ index, message: { content: `${index}` }, finish_reason: "stop" })),
    },
  },
  ...Object.fromEntries(
    ["length", "tool_calls", "function_call", "content_filter", "error", "odd"].map((reason) => [
      `ended by ${reason}`,
      chat({ content: "Hi" }, {}, reason),
    ]),
  ),
  "a refusal": chat({ content: null, refusal: "No." }),
  thoughts: chat({ reasoning_content: "hm", content: "Hi" }),
  "thoughts by another name": chat({ reasoning: "hm", content: "Hi" }),
  "thoughts among parts": chat({
    content: [
      {
        type: "thinking",
        thinking: [
          { type: "text", text: "h" },
          { type: "text", text: "m" },
        ],
      },
      { type: "thinking", thinking: "!" },
      { type: "thinking", thinking: [] },
      { type: "text", text: "Hi" },
      { type: "other" },
    ],
  }),
  "a sound": chat({ content: null, audio: { id: "a1", transcript: "Hi", data: "aGk=" } }),
  "a sound without a text": chat({ content: null, audio: { data: "aGk=" } }),
  "an empty sound": chat({ content: "Hi", audio: { id: "a1" } }),
  pictures: chat({
    content: "Hi",
    images: [
      { image_url: { url: "data:image/png;base64,aGk=" } },
      { image_url: {} },
      { image_url: { url: "https://example.com/a.png" } },
    ],
  }),
  "a call": chat({ content: null, tool_calls: [calling] }),
  "calls without an index": chat({ tool_calls: [calling, { ...calling, id: "c2" }] }),
  "a call whose arguments are an object": chat({
    tool_calls: [{ ...calling, function: { name: "f", arguments: { a: 1 } } }],
  }),
  "a call with a text": chat({
    tool_calls: [{ id: "c1", type: "custom", custom: { name: "g", arguments: "x" } }],
  }),
  "a call without anything": chat({ tool_calls: [{}] }),
  "tokens from a cache": chat(
    { content: "Hi" },
    { usage: { ...used, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } } },
  ),
  "tokens from a cache, DeepSeek's": chat(
    { content: "Hi" },
    { usage: { ...used, prompt_cache_hit_tokens: 4 } },
  ),
  "tokens into a cache": chat(
    { content: "Hi" },
    { usage: { ...used, prompt_tokens_details: { cache_creation_input_tokens: 12 } } },
  ),
  "tokens of thoughts": chat(
    { content: "Hi" },
    { usage: { ...used, completion_tokens_details: { reasoning_tokens: 2 } } },
  ),
  "tokens of the prompt alone": chat({ content: "Hi" }, { usage: { prompt_tokens: 10 } }),
  "tokens of the answer alone": chat({ content: "Hi" }, { usage: { completion_tokens: 5 } }),
  "tokens of nothing": chat({ content: "Hi" }, { usage: { total_tokens: 5 } }),
  "Groq's tokens": { stream: [chunk({ content: "Hi" }), chunk({}, { x_groq: { usage: used } }, "stop")] },
  "an error with a status": { whole: { error: { message: "slow", code: 429 } } },
  "an error with a low code": { whole: { error: { message: "odd", code: 399 } } },
  "an error with the lowest code": { whole: { error: { message: "odd", code: "400" } } },
  "an error without a message": { whole: { error: { code: "x" } } },
  "an error as a status": { status: 429, whole: { error: { message: "slow", type: "rate_limit_error" } } },
  "a stream": {
    stream: [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "H" }),
      chunk({ content: "i" }),
      chunk({}, {}, "stop"),
      { id: "r", choices: [], usage: used },
    ],
  },
  "a stream that is cut": { stream: [chunk({ content: "H" })] },
  "a stream of a refusal": {
    stream: [chunk({ refusal: "N" }), chunk({ refusal: "o" }), chunk({}, {}, "stop")],
  },
  "a stream of sound": {
    stream: [
      chunk({ audio: { id: "a1", transcript: "H" } }),
      chunk({ audio: { data: "aGk=" } }),
      chunk({ audio: { transcript: "i", data: "aGk=" } }),
      chunk({}, {}, "stop"),
    ],
  },
  "a stream of calls": {
    stream: [
      chunk({ tool_calls: [{ index: 1, ...calling, function: { name: "f", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{"a"' } }] }),
      chunk({ tool_calls: [{ index: 0, ...calling, id: "c0" }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: ":1}" } }] }),
      chunk({}, {}, "stop"),
    ],
  },
  "a stream of calls without an index": {
    stream: [
      chunk({ tool_calls: [{ id: "c1", function: { name: "f", arguments: "{" } }] }),
      chunk({ tool_calls: [{ function: { arguments: "}" } }] }),
      chunk({ tool_calls: [{ id: "c2", function: { name: "g", arguments: "{}" } }] }),
      chunk({}, {}, "tool_calls"),
    ],
  },
  "a stream that fails": { stream: [chunk({ content: "H" }), { error: { message: "over", code: 503 } }] },
};

const item = (output_index: number, one: Fields): Fields => ({
  type: "response.output_item.done",
  output_index,
  item: one,
});
const spoken = (...content: Fields[]): Fields => ({ type: "message", content });
const said = { type: "output_text", text: "Hi" };
const response = (output: readonly Fields[], more: Fields = {}): Answer => ({
  whole: { id: "r", model: "m", status: "completed", output, ...more },
});
const ended = (more: Fields = {}): Fields => ({
  type: "response.completed",
  response: { id: "r", model: "m", status: "completed", ...more },
});
const begun = { type: "response.created", response: { id: "r", model: "m" } };

export const RESPONSES: Readonly<Record<string, Answer>> = {
  "a text": response([spoken(said)], {
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
  }),
  "texts and refusals": response([spoken(said, { type: "refusal", refusal: "No." }, { type: "other" })]),
  thoughts: response([
    {
      type: "reasoning",
      id: "rs",
      encrypted_content: "c2ln",
      summary: [{ text: "a" }, { text: "b" }],
      content: [{ text: "c" }, {}],
    },
    spoken(said),
  ]),
  "thoughts without anything": response([{ type: "reasoning" }, spoken(said)]),
  "a call": response([{ type: "function_call", call_id: "c1", name: "f", arguments: "{}" }]),
  "a call with a text": response([{ type: "custom_tool_call", call_id: "c1", name: "g", input: "x" }]),
  "a picture": response([
    { type: "image_generation_call", result: "aGk=", output_format: "webp" },
    { type: "image_generation_call", result: "aGk=" },
    { type: "image_generation_call" },
  ]),
  "another item": response([{ type: "web_search_call", id: "w" }, spoken(said)]),
  ...Object.fromEntries(
    ["max_output_tokens", "max_tokens", "content_filter", "odd"].map((reason) => [
      `incomplete by ${reason}`,
      response([spoken(said)], { status: "incomplete", incomplete_details: { reason } }),
    ]),
  ),
  "incomplete without a reason": response([spoken(said)], { status: "incomplete" }),
  "no status": response([spoken(said)], { status: null }),
  "a failure": response([], { status: "failed", error: { code: "server_error", message: "over" } }),
  "a failure by limits": response([], { error: { code: "rate_limit_exceeded", message: "slow" } }),
  "a failure without words": response([], { error: {} }),
  "a failure of the request": response([], { error: { code: "invalid_prompt", message: "no" } }),
  "a stream": {
    stream: [
      begun,
      { type: "response.in_progress", response: { id: "other", model: "m" } },
      { type: "response.output_item.added", output_index: 0, item: spoken() },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "H" },
      { type: "response.output_text.delta", output_index: 0, content_index: 1, delta: "b" },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "i" },
      item(0, spoken(said, { type: "output_text", text: "b" })),
      ended({ usage: { input_tokens: 1, output_tokens: 2 } }),
    ],
  },
  "a stream without pieces": { stream: [begun, item(0, spoken(said)), ended()] },
  "a stream of a refusal": {
    stream: [
      begun,
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "No." },
      ended(),
    ],
  },
  "a stream whose refusal comes whole": {
    stream: [begun, item(0, spoken({ type: "refusal", refusal: "No." })), ended()],
  },
  "a stream of calls": {
    stream: [
      begun,
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "function_call", call_id: "c1", name: "f" },
      },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a"' },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { type: "custom_tool_call", call_id: "c2", name: "g" },
      },
      { type: "response.custom_tool_call_input.delta", output_index: 1, delta: "x" },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: ":1}" },
      item(0, { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' }),
      item(1, { type: "custom_tool_call", call_id: "c2", name: "g", input: "x" }),
      item(2, { type: "function_call", call_id: "c3", name: "h", arguments: "{}" }),
      ended(),
    ],
  },
  "a stream of thoughts": {
    stream: [
      begun,
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "a" },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "b" },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "c" },
      { type: "response.reasoning_text.delta", output_index: 1, content_index: 0, delta: "d" },
      { type: "response.reasoning_text.delta", output_index: 1, content_index: 2, delta: "e" },
      { type: "response.reasoning_text.delta", output_index: 2 },
      item(0, {
        type: "reasoning",
        id: "rs",
        encrypted_content: "c2ln",
        summary: [{ text: "ab" }, { text: "c" }],
      }),
      ended(),
    ],
  },
  "a stream of things that are none": {
    stream: [
      { type: "response.in_progress", response: { id: "r2" } },
      begun,
      {},
      { type: "response.output_item.added", output_index: 0, item: { type: "message" } },
      { type: "response.output_item.added", output_index: 1 },
      { type: "response.reasoning_summary_text.delta" },
      { type: "response.output_text.delta" },
      { type: "response.refusal.delta", delta: "No." },
      ended(),
    ],
  },
  "a stream that is incomplete": {
    stream: [
      begun,
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      },
    ],
  },
  "a stream that fails": {
    stream: [
      begun,
      { type: "response.failed", response: { error: { code: "server_error", message: "over" } } },
    ],
  },
  "a stream with an error": {
    stream: [begun, { type: "error", code: "rate_limit_exceeded", message: "slow" }],
  },
  "a stream with an error inside": {
    stream: [begun, { type: "error", error: { code: "x", message: "odd" } }],
  },
  "a stream that is cut": {
    stream: [begun, { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "H" }],
  },
};
