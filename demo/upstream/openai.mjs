// OpenAI's chat completions as its API reference describes them (platform.openai.com/docs/api-reference/chat).
import { answerTo } from "./answers.mjs";
import { answerTokens, contentText, countTokens, freshId, list, pieces, record, text } from "./values.mjs";

/** @typedef {import("./shapes.ts").RequestBody} RequestBody */
/** @typedef {import("./shapes.ts").Answer} Answer */
/** @typedef {import("./shapes.ts").Failure} Failure */
/** @typedef {import("./shapes.ts").Question} Question */

/** @type {import("./shapes.ts").Dialect} */
export const openai = {
  streamType: "text/event-stream; charset=utf-8",
  headers: () => ({
    "openai-version": "2020-10-01",
    "openai-processing-ms": String(200 + Math.floor(Math.random() * 400)),
    "x-request-id": freshId("req_", 32).toLowerCase(),
  }),
  fault,
  reply,
  events,
  failure,
};

/** @param {RequestBody} body @returns {Failure | undefined} */
function fault({ model, messages }) {
  if (typeof model !== "string" || model === "") {
    return { status: 400, kind: "invalid_request", message: "You must provide a model parameter." };
  }
  if (list(messages).length === 0) {
    return {
      status: 400,
      kind: "invalid_request",
      message: "Invalid 'messages': expected an array with minimum length 1.",
    };
  }
  return undefined;
}

/** @param {RequestBody} body @returns {Question} */
function question(body) {
  const messages = list(body["messages"]).map(record);
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const chosen = body["tool_choice"];
  const format = record(body["response_format"]);
  const schema =
    record(format["json_schema"])["schema"] ?? (format["type"] === "json_object" ? {} : undefined);
  return {
    system: system.map(({ content }) => contentText(content)).join("\n"),
    user: contentText(messages[lastUser]?.["content"]),
    results: messages
      .slice(lastUser + 1)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => contentText(content)),
    tools: list(body["tools"]).map((tool) => {
      const { name, description, parameters } = record(record(tool)["function"]);
      return { name: text(name), description: text(description), parameters };
    }),
    choice: chosen === "none" || chosen === "required" ? chosen : namedChoice(chosen),
    maxTokens: Number(body["max_completion_tokens"] ?? body["max_tokens"] ?? Number.POSITIVE_INFINITY),
    ...(schema !== undefined && { schema }),
  };
}

/** @param {unknown} chosen @returns {"auto" | { name: string }} */
function namedChoice(chosen) {
  const name = text(record(record(chosen)["function"])["name"]);
  return name ? { name } : "auto";
}

/** @param {RequestBody} body */
function frame(body) {
  return {
    id: freshId("chatcmpl-", 29),
    created: Math.floor(Date.now() / 1000),
    model: dated(text(body["model"])),
    service_tier: "default",
    system_fingerprint: "fp_practice01",
  };
}

/** The name with its release, as the API answers. @param {string} model */
function dated(model) {
  /** @type {Readonly<Record<string, string>>} */
  const releases = {
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
    "gpt-4o": "gpt-4o-2024-08-06",
    "gpt-4.1-mini": "gpt-4.1-mini-2025-04-14",
  };
  return releases[model] ?? model;
}

/** @param {RequestBody} body @param {Answer} answer */
function usage(body, answer) {
  const prompt = countTokens(JSON.stringify([body["messages"], body["tools"] ?? []]));
  const completion = answerTokens(answer);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** @param {Answer} answer */
function finishReason({ calls, cut }) {
  if (calls.length > 0) return "tool_calls";
  return cut ? "length" : "stop";
}

/** @param {Answer} answer */
function toolCalls({ calls }) {
  return calls.map(({ name, input }) => ({
    id: freshId("call_", 24),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

/** @param {RequestBody} body */
function reply(body) {
  const answer = answerTo(question(body));
  const called = answer.calls.length > 0;
  const message = {
    role: "assistant",
    content: called ? null : answer.text,
    ...(called && { tool_calls: toolCalls(answer) }),
    refusal: null,
    annotations: [],
  };
  const { id, created, model, ...rest } = frame(body);
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    usage: usage(body, answer),
    ...rest,
  };
}

/** @param {RequestBody} body */
function* events(body) {
  const answer = answerTo(question(body));
  const withUsage = record(body["stream_options"])["include_usage"] === true;
  const { id, created, model, ...rest } = frame(body);
  const head = { id, object: "chat.completion.chunk", created, model, ...rest };
  const send = (/** @type {object} */ fields) => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
  const chunk = (/** @type {object} */ delta, /** @type {string | null} */ finish = null) =>
    send({
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage && { usage: null }),
    });

  yield chunk({ role: "assistant", content: answer.calls.length > 0 ? null : "", refusal: null });
  for (const piece of pieces(answer.text)) yield chunk({ content: piece });
  for (const [index, call] of toolCalls(answer).entries()) {
    const { name, arguments: whole } = call.function;
    yield chunk({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] });
    for (const piece of pieces(whole))
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, finishReason(answer));
  if (withUsage) yield send({ choices: [], usage: usage(body, answer) });
  yield "data: [DONE]\n\n";
}

/** @type {Readonly<Record<Failure["kind"], { type: string, code: string | null }>>} */
const errorTypes = {
  invalid_request: { type: "invalid_request_error", code: null },
  authentication: { type: "invalid_request_error", code: "invalid_api_key" },
  not_found: { type: "invalid_request_error", code: "unknown_url" },
  too_large: { type: "invalid_request_error", code: "request_too_large" },
  rate_limit: { type: "requests", code: "rate_limit_exceeded" },
  overloaded: { type: "server_error", code: "overloaded" },
  server: { type: "server_error", code: null },
};

/** @param {Failure} failed */
function failure({ kind, message }) {
  const { type, code } = errorTypes[kind];
  return { error: { message, type, param: null, code } };
}
