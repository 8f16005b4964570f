import { type Answer, calling, type Fields, SCHEMA_TOOL } from "./answer.ts";

const candidate = (
  parts: readonly Fields[],
  more: Fields = {},
  finishReason: string | undefined = "STOP",
): Fields => ({
  responseId: "r",
  modelVersion: "m",
  candidates: [{ content: { role: "model", parts }, ...(finishReason !== undefined && { finishReason }) }],
  ...more,
});
const gemini = (parts: readonly Fields[], more: Fields = {}, finish = "STOP"): Answer => ({
  whole: candidate(parts, more, finish),
});
const open = (...parts: Fields[]): Fields => ({ responseId: "r", candidates: [{ content: { parts } }] });

export const GEMINI: Readonly<Record<string, Answer>> = {
  "a text": gemini([{ text: "Hi" }], {
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }),
  "texts and thoughts": gemini([
    { text: "h", thought: true },
    { text: "m", thought: true, thoughtSignature: "c2ln" },
    { text: "H" },
    { text: "i", thoughtSignature: "c2lo" },
    { text: "" },
    { text: "", thoughtSignature: "c2lp" },
  ]),
  calls: gemini([
    { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" },
    { functionCall: { id: "x", name: "g" } },
    { functionCall: {} },
    { text: "Hi" },
  ]),
  media: gemini([
    { text: "a" },
    { inlineData: { mimeType: "image/png", data: "aGk=" } },
    { inlineData: { mimeType: "audio/wav", data: "aGk=" }, thoughtSignature: "c2ln" },
    { inlineData: { mimeType: "video/mp4", data: "aGk=" } },
    { inlineData: { mimeType: "application/pdf", data: "aGk=" } },
    { inlineData: { mimeType: "image/png" } },
    { text: "b" },
  ]),
  ...Object.fromEntries(
    "MAX_TOKENS SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION OTHER BLOCK_REASON_UNSPECIFIED MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL ODD"
      .split(" ")
      .map((reason) => [`ended by ${reason}`, gemini([{ text: "Hi" }], {}, reason)]),
  ),
  "a prompt that is blocked": { whole: { responseId: "r", promptFeedback: { blockReason: "SAFETY" } } },
  "tokens of thoughts and a cache": gemini([{ text: "Hi" }], {
    usageMetadata: {
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      toolUsePromptTokenCount: 3,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      totalTokenCount: 20,
    },
  }),
  "tokens in total": gemini([{ text: "Hi" }], {
    usageMetadata: { promptTokenCount: 10, toolUsePromptTokenCount: 3, totalTokenCount: 20 },
  }),
  "tokens of thoughts alone": gemini([{ text: "Hi" }], {
    usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 2, totalTokenCount: 20 },
  }),
  "a stream": {
    stream: [
      open({ text: "h", thought: true }),
      open({ text: "H" }),
      candidate([{ text: "i" }], { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } }),
    ],
  },
  "a stream that is cut": { stream: [open({ text: "H" })] },
  "no candidate": { whole: { responseId: "r" } },
  "a stream with media between texts": {
    stream: [
      open({ text: "a" }, { functionCall: { name: "f" } }, { text: "b" }),
      open({ inlineData: { mimeType: "image/png", data: "aGk=" } }, { text: "", thoughtSignature: "c2ln" }),
      open({ thought: true, thoughtSignature: "c2ln" }, { thought: "yes", text: "c" }),
      candidate([]),
    ],
  },
  "more from the cache than was asked": gemini([{ text: "Hi" }], {
    usageMetadata: { promptTokenCount: 1, cachedContentTokenCount: 4, totalTokenCount: 0 },
  }),
  "an error": { status: 429, whole: { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow" } } },
};

export const OLLAMA: Readonly<Record<string, Answer>> = {
  "a text": {
    whole: {
      model: "m",
      message: { role: "assistant", content: "Hi", thinking: "hm" },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 10,
      eval_count: 5,
    },
  },
  "no reason": { whole: { model: "m", message: { content: "Hi" }, done: true } },
  "the prompt's tokens": { whole: { message: { content: "Hi" }, done: true, prompt_eval_count: 10 } },
  "the answer's tokens": { whole: { message: { content: "Hi" }, done: true, eval_count: 10 } },
  "ended by length": { whole: { message: { content: "Hi" }, done: true, done_reason: "length" } },
  "ended by something": { whole: { message: { content: "Hi" }, done: true, done_reason: "load" } },
  calls: {
    whole: {
      message: {
        content: "",
        tool_calls: [
          { function: { name: "f", arguments: { a: 1 } } },
          { id: "x", function: { name: "g", arguments: "{}" } },
          { function: { arguments: null } },
        ],
      },
      done: true,
      done_reason: "stop",
    },
  },
  "a stream": {
    stream: [
      { model: "m", message: { thinking: "h" } },
      { message: { thinking: "m" } },
      { message: { content: "H" } },
      { message: { content: "i" } },
      { message: { tool_calls: [{ function: { name: "f" } }] } },
      { message: { tool_calls: [{ function: { name: "f" } }] } },
      { message: { content: "" }, done: true, done_reason: "stop", eval_count: 3 },
    ],
  },
  "a stream that is cut": { stream: [{ model: "m", message: { content: "H" } }] },
  "a stream that ends by length after a call": {
    stream: [
      { message: { tool_calls: [{ id: "", function: { name: "f", arguments: 5 } }] } },
      { done: true, done_reason: "length" },
    ],
  },
};

const dash = (reply: Fields, more: Fields = {}, finish_reason = "stop"): Fields => ({
  request_id: "r",
  output: { choices: [{ message: { role: "assistant", content: "", ...reply }, finish_reason }] },
  ...more,
});

export const DASHSCOPE: Readonly<Record<string, Answer>> = {
  "a text": {
    whole: dash(
      { content: "Hi", reasoning_content: "hm" },
      { usage: { input_tokens: 10, output_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } } },
    ),
  },
  "texts among parts": { whole: dash({ content: [{ text: "H" }, { image: "x" }, { text: "i" }] }) },
  "no choice": { whole: { request_id: "r", output: { choices: [] } } },
  "ended by length": { whole: dash({ content: "Hi" }, {}, "length") },
  calls: {
    whole: dash(
      { tool_calls: [calling, { ...calling, id: "c2" }, { function: { arguments: "!" } }] },
      {},
      "tool_calls",
    ),
  },
  "a structured answer": {
    output: true,
    whole: dash(
      { tool_calls: [{ id: "c1", function: { name: SCHEMA_TOOL, arguments: '{"city":"Rome"}' } }] },
      {},
      "tool_calls",
    ),
  },
  "that tool, unasked": {
    whole: dash(
      { tool_calls: [{ id: "c1", function: { name: SCHEMA_TOOL, arguments: "{}" } }] },
      {},
      "tool_calls",
    ),
  },
  "an error": { status: 429, whole: { request_id: "r", code: "Throttling", message: "slow" } },
  "an error without a code": { status: 500, whole: { message: "over" } },
  "a stream": {
    stream: [
      dash({ content: "H" }, {}, "null"),
      dash({ tool_calls: [{ index: 1, id: "c", function: { name: "f", arguments: "{" } }] }, {}, "null"),
      dash({ tool_calls: [{ index: 0, id: "d", function: { name: "g", arguments: "{}" } }] }, {}, "null"),
      dash({ tool_calls: [{ index: 1, id: "1", function: { arguments: "}" } }] }, {}, "null"),
      dash({ content: "i" }, { usage: { input_tokens: 1, output_tokens: 2 } }, "tool_calls"),
    ],
  },
  "a stream that is cut": { stream: [dash({ content: "H" }, {}, "null")] },
  "a stream that begins late": {
    stream: [
      { output: { choices: [{ message: { reasoning_content: "h" } }] } },
      dash({ content: "" }, {}, ""),
      dash({ content: "H" }, {}, "stop"),
    ],
  },
  "a stream of a call without an index": {
    stream: [
      dash({ tool_calls: [{ id: "c1", function: { name: "f", arguments: "{" } }] }, {}, "null"),
      dash({ tool_calls: [{ function: { arguments: "}" } }] }, {}, "null"),
      dash({ tool_calls: [{ id: "c2", function: { name: "g" } }] }, {}, "tool_calls"),
    ],
  },
  "an error with a status of its own": {
    whole: { status_code: 400, code: "Bad", message: "no", request_id: "q" },
  },
  "a status of its own that is none": { whole: { ...dash({ content: "Hi" }), status_code: 399 } },
  "a miss": { whole: { status_code: 404, code: "tapedeck_miss", message: "no recording" } },
  "an address that cannot be reached": {
    whole: { status_code: 502, code: "tapedeck_upstream", message: "gone" },
  },
};
