import type { operationAt } from "../../support/wire-fixtures.ts";

/** Wires with streams of texts, thoughts, and tool calls, and an address of each. */
export const WIRES: Readonly<Record<WireName, Parameters<typeof operationAt>>> = {
  "chat completions": ["openai", "POST", "/v1/chat/completions"],
  responses: ["openai", "POST", "/v1/responses"],
  anthropic: ["anthropic", "POST", "/v1/messages"],
  gemini: ["gemini", "POST", "/v1beta/models/m:streamGenerateContent"],
  ollama: ["ollama", "POST", "/api/chat"],
  dashscope: ["dashscope", "POST", "/api/v1/services/aigc/text-generation/generation", true],
};

export type WireName = "chat completions" | "responses" | "anthropic" | "gemini" | "ollama" | "dashscope";

/** A model's reply before a provider splits it into chunks. */
export interface ReplyParts {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, string>> }[];
}

/** Splits texts into pieces, some of them empty, and merges queues of pieces, keeping the order in each queue. */
export interface Cutting {
  readonly pieces: (text: string) => readonly string[];
  readonly mix: <T>(queues: readonly (readonly T[])[]) => readonly T[];
}

type Fields = Record<string, unknown>;

/** Returns the content type and body of a stream that carries this reply, split by `cutting`. */
export function cutWire(
  name: WireName,
  said: ReplyParts,
  cutting: Cutting,
): { contentType: string; body: string } {
  const sse = (chunks: readonly Fields[], end = ""): { contentType: string; body: string } => ({
    contentType: "text/event-stream",
    body: chunks.map((chunk) => `${heading(chunk)}data: ${JSON.stringify(chunk)}\n\n`).join("") + end,
  });
  if (name === "anthropic") return sse(anthropicEvents(said, cutting));
  if (name === "gemini") return sse(geminiChunks(said, cutting));
  if (name === "dashscope") return sse(dashscopeChunks(said, cutting));
  if (name === "responses") return sse(responsesEvents(said, cutting));
  if (name !== "ollama") return sse(chatChunks(said, cutting), "data: [DONE]\n\n");
  const lines = ollamaChunks(said, cutting).map((chunk) => `${JSON.stringify(chunk)}\n`);
  return { contentType: "application/x-ndjson", body: lines.join("") };
}

/** Returns the `event:` line of an event that has a type. */
function heading({ type }: Fields): string {
  return typeof type === "string" ? `event: ${type}\n` : "";
}

/** Returns deltas in OpenAI's format: thinking, text, and tool calls alternate; each tool call has its own index. */
function deltas({ thinking, text, calls }: ReplyParts, { pieces, mix }: Cutting): readonly Fields[] {
  return mix<Fields>([
    pieces(thinking).map((piece) => ({ reasoning_content: piece })),
    pieces(text).map((piece) => ({ content: piece })),
    ...calls.map(({ name, args }, index) => [
      { tool_calls: [{ index, id: `c${index}`, type: "function", function: { name, arguments: "" } }] },
      ...pieces(JSON.stringify(args)).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ]);
}

function chatChunks(said: ReplyParts, cutting: Cutting): readonly Fields[] {
  const chunk = (delta: Fields, finish_reason: string | null = null): Fields => ({
    id: "r",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [...deltas(said, cutting).map((delta) => chunk(delta)), chunk({}, "stop")];
}

function dashscopeChunks(said: ReplyParts, cutting: Cutting): readonly Fields[] {
  const chunk = (message: Fields, finish_reason = "null"): Fields => ({
    output: { choices: [{ message: { role: "assistant", content: "", ...message }, finish_reason }] },
    request_id: "r",
  });
  return [...deltas(said, cutting).map((message) => chunk(message)), chunk({}, "stop")];
}

function anthropicEvents({ thinking, text, calls }: ReplyParts, { pieces, mix }: Cutting): readonly Fields[] {
  const block = (index: number, content_block: Fields, inner: readonly Fields[]): readonly Fields[] => [
    { type: "content_block_start", index, content_block },
    ...inner.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const thoughts = pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece }));
  const texts = pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
  const blocks = [
    block(0, { type: "thinking", thinking: "" }, [...thoughts, { type: "signature_delta", signature: "s" }]),
    block(1, { type: "text", text: "" }, texts),
    ...calls.map(({ name, args }, at) =>
      block(
        at + 2,
        { type: "tool_use", id: `c${at}`, name, input: {} },
        pieces(JSON.stringify(args)).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      ),
    ),
  ];
  const message = { id: "r", type: "message", role: "assistant", model: "m", content: [], usage: {} };
  return [
    { type: "message_start", message },
    ...mix(blocks),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
    { type: "message_stop" },
  ];
}

function responsesEvents({ thinking, text, calls }: ReplyParts, { pieces, mix }: Cutting): readonly Fields[] {
  const whole = (
    output_index: number,
    inner: Fields,
    empty: Fields,
    events: readonly Fields[],
  ): readonly Fields[] => [
    { type: "response.output_item.added", output_index, item: { ...inner, ...empty } },
    ...events.map((event) => ({ output_index, content_index: 0, ...event })),
    { type: "response.output_item.done", output_index, item: inner },
  ];
  const summary = thinking === "" ? [] : [{ type: "summary_text", text: thinking }];
  const thoughts = pieces(thinking).map((delta) => ({
    type: "response.reasoning_summary_text.delta",
    summary_index: 0,
    delta,
  }));
  const texts = pieces(text).map((delta) => ({ type: "response.output_text.delta", delta }));
  const items = [
    whole(0, { type: "reasoning", id: "r0", summary }, { summary: [] }, thoughts),
    whole(
      1,
      { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
      { content: [] },
      texts,
    ),
    ...calls.map(({ name, args }, at) => {
      const written = JSON.stringify(args);
      const parts = pieces(written).map((delta) => ({
        type: "response.function_call_arguments.delta",
        delta,
      }));
      const item = { type: "function_call", call_id: `c${at}`, name, arguments: written };
      return whole(at + 2, item, { arguments: "" }, parts);
    }),
  ];
  const response = { id: "r", object: "response", status: "completed", model: "m", output: [] };
  return [{ type: "response.created", response }, ...mix(items), { type: "response.completed", response }];
}

/** Returns parts in order, one per chunk. A call's arguments are split into pieces that alternate by JSON path. */
function geminiChunks({ thinking, text, calls }: ReplyParts, { pieces, mix }: Cutting): readonly Fields[] {
  const parts: readonly Fields[] = [
    ...pieces(thinking).map((piece) => ({ text: piece, thought: true })),
    ...pieces(text).map((piece) => ({ text: piece })),
    ...calls.flatMap(({ name, args }, at) => [
      { functionCall: { id: `c${at}`, name, willContinue: true } },
      ...Object.keys(args).map((key) => ({
        functionCall: { partialArgs: [{ jsonPath: `$['${key}']`, stringValue: "" }], willContinue: true },
      })),
      ...mix(
        Object.entries(args).map(([key, value]) =>
          pieces(value).map((piece) => ({ jsonPath: `$['${key}']`, stringValue: piece })),
        ),
      ).map((piece) => ({ functionCall: { partialArgs: [piece], willContinue: true } })),
      { functionCall: {} },
    ]),
  ];
  const chunk = (some: readonly Fields[], more: Fields = {}): Fields => ({
    candidates: [{ content: { role: "model", parts: some }, ...more }],
    responseId: "r",
  });
  return [...parts.map((part) => chunk([part])), chunk([], { finishReason: "STOP" })];
}

/** Returns Ollama's chunks: each tool call is complete, at any position between the chunks of text. */
function ollamaChunks({ thinking, text, calls }: ReplyParts, { pieces, mix }: Cutting): readonly Fields[] {
  const messages = mix<Fields>([
    pieces(thinking).map((piece) => ({ thinking: piece })),
    pieces(text).map((piece) => ({ content: piece })),
    calls.map(({ name, args }) => ({ tool_calls: [{ function: { name, arguments: args } }] })),
  ]);
  const chunk = (message: Fields, done: boolean): Fields => ({
    model: "m",
    message: { role: "assistant", content: "", ...message },
    done,
  });
  return [...messages.map((message) => chunk(message, false)), chunk({}, true)];
}
