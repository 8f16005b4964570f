// Anthropic's messages as its API reference describes them (docs.anthropic.com/en/api/messages).
import { answerTo } from "./answers.mjs";
import { answerTokens, contentText, countTokens, freshId, list, pieces, record, text } from "./values.mjs";

/** @typedef {import("./shapes.ts").RequestBody} RequestBody */
/** @typedef {import("./shapes.ts").Answer} Answer */
/** @typedef {import("./shapes.ts").Failure} Failure */
/** @typedef {import("./shapes.ts").Question} Question */

/** @type {import("./shapes.ts").Dialect} */
export const anthropic = {
  streamType: "text/event-stream; charset=utf-8",
  headers: () => ({ "request-id": freshId("req_01", 22) }),
  fault,
  reply,
  events,
  failure,
};

/** @param {RequestBody} body @returns {Failure | undefined} */
function fault(body) {
  const missing = ["model", "max_tokens", "messages"].find((name) => body[name] === undefined);
  if (missing) return { status: 400, kind: "invalid_request", message: `${missing}: Field required` };
  if (list(body["messages"]).length === 0) {
    return { status: 400, kind: "invalid_request", message: "messages: at least one message is required" };
  }
  return undefined;
}

/** @param {RequestBody} body @returns {Question} */
function question(body) {
  const turns = list(body["messages"]).map(record);
  const last = list(turns.at(-1)?.["content"]).map(record);
  const results = last
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => contentText(content));
  const texts = turns.filter(({ role }) => role === "user").map(({ content }) => contentText(content));
  const choice = record(body["tool_choice"]);
  return {
    system: contentText(body["system"]),
    user: texts.findLast(Boolean) ?? "",
    results,
    tools: list(body["tools"]).map((tool) => {
      const { name, description, input_schema: parameters } = record(tool);
      return { name: text(name), description: text(description), parameters };
    }),
    choice: toolChoice(choice),
    maxTokens: Number(body["max_tokens"]),
  };
}

/** @param {Readonly<Record<string, unknown>>} choice @returns {Question["choice"]} */
function toolChoice({ type, name }) {
  if (type === "tool") return { name: text(name) };
  if (type === "none") return "none";
  return type === "any" ? "required" : "auto";
}

/** @param {RequestBody} body */
function inputTokens({ system, messages, tools }) {
  return countTokens(JSON.stringify([system ?? "", messages, tools ?? []]));
}

/** @param {RequestBody} body @param {number} output */
function usage(body, output) {
  return {
    input_tokens: inputTokens(body),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
    service_tier: "standard",
  };
}

/** @param {Answer} answer */
function stopReason({ calls, cut }) {
  if (calls.length > 0) return "tool_use";
  return cut ? "max_tokens" : "end_turn";
}

/** @param {Answer} answer */
function blocks({ text: content, calls }) {
  return [
    ...(content ? [{ type: "text", text: content }] : []),
    ...calls.map(({ name, input }) => ({ type: "tool_use", id: freshId("toolu_01", 22), name, input })),
  ];
}

/** @param {RequestBody} body */
function reply(body) {
  const answer = answerTo(question(body));
  return {
    id: freshId("msg_01", 22),
    type: "message",
    role: "assistant",
    model: body["model"],
    content: blocks(answer),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: usage(body, answerTokens(answer)),
  };
}

/** @param {RequestBody} body */
function* events(body) {
  const answer = answerTo(question(body));
  const message = {
    id: freshId("msg_01", 22),
    type: "message",
    role: "assistant",
    model: body["model"],
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usage(body, 1),
  };
  yield event("message_start", { message });
  for (const [index, block] of blocks(answer).entries()) {
    const empty = "text" in block ? { type: "text", text: "" } : { ...block, input: {} };
    yield event("content_block_start", { index, content_block: empty });
    if (index === 0) yield event("ping", {});
    for (const delta of deltas(block)) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", {
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: { output_tokens: answerTokens(answer) },
  });
  yield event("message_stop", {});
}

/** @param {ReturnType<typeof blocks>[number]} block */
function deltas(block) {
  if ("text" in block) return pieces(block.text).map((piece) => ({ type: "text_delta", text: piece }));
  const parts = ["", ...pieces(JSON.stringify(block.input))];
  return parts.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
}

/** @param {string} type @param {object} body */
function event(type, body) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
}

/** @type {Readonly<Record<Failure["kind"], string>>} */
const errorTypes = {
  invalid_request: "invalid_request_error",
  authentication: "authentication_error",
  not_found: "not_found_error",
  too_large: "request_too_large",
  rate_limit: "rate_limit_error",
  overloaded: "overloaded_error",
  server: "api_error",
};

/** @param {Failure} failed */
function failure({ kind, message }) {
  return { type: "error", error: { type: errorTypes[kind], message } };
}
