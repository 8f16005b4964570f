// Stands in for OpenAI and Anthropic on this machine. Its answers depend only on the "[#ID]" at the end of a request's text.
import { createServer } from "node:http";

const WORDS = "order ticket invoice warehouse refund parcel courier address customer delay stock color".split(
  " ",
);
const USAGE = { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 };
const CREATED = 1_767_322_800;

/** @param {number} id */
export const answerText = (id) =>
  `Answer ${id}: ${Array.from({ length: 60 + (id % 60) }, (_, index) => WORDS[(id * 5 + index * 7) % WORDS.length]).join(" ")}.`;

/**
 * Returns the answer to a request.
 * @param {string} path without its query
 * @param {string} body
 * @returns {{ readonly type: string, readonly parts: readonly string[] }}
 */
export function answer(path, body) {
  const id = Number(/\[#(\d+)\](?!.*\[#\d)/s.exec(body)?.[1]);
  const isStream = /"stream":\s*true/.test(body);
  const [compose] = [
    ["/chat/completions", chat],
    ["/responses", response],
    ["/messages", message],
  ].flatMap(([ending, composed]) => (path.endsWith(ending) ? [composed] : []));
  if (compose === undefined) throw new Error(`The suites make no call to ${path}.`);
  const text = answerText(id);
  const { whole, events } = compose(id, text, text.match(/.{1,8}/gs));
  if (!isStream) return { type: "application/json", parts: [JSON.stringify(whole)] };
  const size = Math.ceil(events.length / 10); // about the chunk size of providers
  const parts = Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
    events.slice(index * size, (index + 1) * size).join(""),
  );
  return { type: "text/event-stream; charset=utf-8", parts };
}

function chat(id, text, pieces) {
  const head = { id: `chatcmpl-${id}`, created: CREATED, model: "gpt-4o-mini-2024-07-18" };
  const choice = (fields, finish_reason) => [{ index: 0, ...fields, logprobs: null, finish_reason }];
  const chunk = (delta, finish = null) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: choice({ delta }, finish) })}\n\n`;
  const whole = { ...head, object: "chat.completion", usage: USAGE };
  return {
    whole: {
      ...whole,
      choices: choice({ message: { role: "assistant", content: text, refusal: null } }, "stop"),
    },
    events: [
      chunk({ role: "assistant", content: "" }),
      ...pieces.map((content) => chunk({ content })),
      chunk({}, "stop"),
      "data: [DONE]\n\n",
    ],
  };
}

function message(id, text, pieces) {
  const head = { id: `msg_${id}`, type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };
  const usage = { input_tokens: 900, output_tokens: 80 };
  const stopped = { stop_reason: "end_turn", stop_sequence: null };
  const running = { stop_reason: null, stop_sequence: null };
  const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  return {
    whole: { ...head, content: [{ type: "text", text }], ...stopped, usage },
    events: [
      event("message_start", { message: { ...head, content: [], ...running, usage } }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...pieces.map((piece) =>
        event("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } }),
      ),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: stopped, usage: { output_tokens: 80 } }),
      event("message_stop", {}),
    ],
  };
}

function response(id, text, pieces) {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content: [part] };
  const whole = {
    id: `resp_${id}`,
    object: "response",
    created_at: CREATED,
    status: "completed",
    model: "gpt-4o-mini-2024-07-18",
    output: [item],
    error: null,
    incomplete_details: null,
    instructions: null,
    tools: [],
    tool_choice: "auto",
    parallel_tool_calls: true,
    usage: {
      input_tokens: 900,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 80,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 980,
    },
  };
  let sequence_number = -1;
  const event = (type, fields) => {
    sequence_number += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;
  };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const begun = { ...item, status: "in_progress", content: [] };
  const events = [
    event("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } }),
    event("response.output_item.added", { output_index: 0, item: begun }),
    event("response.content_part.added", { ...at, part: { ...part, text: "" } }),
    ...pieces.map((delta) => event("response.output_text.delta", { ...at, delta, logprobs: [] })),
    event("response.output_text.done", { ...at, text, logprobs: [] }),
    event("response.content_part.done", { ...at, part }),
    event("response.output_item.done", { output_index: 0, item }),
    event("response.completed", { response: whole }),
  ];
  return { whole, events };
}

/** Serves on a free port of this machine. */
export async function serveProvider() {
  const server = createServer((request, reply) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      const { type, parts } = answer(path, Buffer.concat(chunks).toString("utf8"));
      reply.setHeader("content-type", type);
      if (parts.length === 1) return reply.end(parts[0]);
      for (const part of parts) reply.write(part);
      return reply.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The stand-in has no port.");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
