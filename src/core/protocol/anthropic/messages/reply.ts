import type { SseEvent } from "../../../wire/sse.ts";
import { countIn, fieldsOf, inOrder, jsonIn, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import { replyReader, type StreamReading } from "../../reading/reply.ts";
import { usageIn } from "../../reading/usage.ts";
import type { Projection } from "../../protocol.ts";
import { messageFrom } from "./blocks.ts";

export const projectMessage = replyReader({
  failure: ({ error, ...fields }) => error ?? (fields["type"] === "error" && fields),
  whole: (fields) => (Array.isArray(fields["content"]) ? projectMessages([fields]) : undefined),
  stream: assemble,
});

/** Model, usage and reason are those of the last message; there is more than one only in a joined stream. */
function projectMessages(messages: readonly Fields[]): Projection {
  const last = messages.at(-1) ?? {};
  return {
    messages: messages.map((message) => messageFrom(message, "assistant")),
    usage: usageIn(last["usage"], "anthropic"),
    finishReason: textIn(last["stop_reason"]),
    model: textIn(last["model"]),
  };
}

interface OpenMessage {
  readonly start: Fields;
  readonly blocks: Map<number, Fields>;
  delta: Fields;
  usage: Fields;
}

/** Puts the events of a stream together. A second `message_start` begins another message. */
function assemble(events: readonly SseEvent[]): StreamReading {
  const messages: OpenMessage[] = [];
  const errors: unknown[] = [];
  for (const { event, data } of events) {
    const fields = fieldsOf(jsonIn(data));
    // Gateways put their own failures into a frame without a type.
    if ((event ?? fields["type"] ?? (fields["error"] && "error")) === "error")
      errors.push(fields["error"] ?? data);
    if (fields["type"] === "message_start") messages.push(openMessage(fieldsOf(fields["message"])));
    const message = messages.at(-1);
    if (message !== undefined) addTo(message, fields);
  }
  return { read: projectMessages(messages.map(closeMessage)), errors };
}

function openMessage(start: Fields): OpenMessage {
  return { start, blocks: new Map(), delta: {}, usage: fieldsOf(start["usage"]) };
}

function addTo(message: OpenMessage, fields: Fields): void {
  const index = countIn(fields["index"]) ?? 0;
  if (fields["type"] === "content_block_start") {
    const block = fieldsOf(fields["content_block"]);
    message.blocks.set(index, block);
    // From a fallback on another model writes the message.
    const model = block["type"] === "fallback" ? textIn(fieldsOf(block["to"])["model"]) : undefined;
    if (model !== undefined) message.delta = { ...message.delta, model };
  }
  if (fields["type"] === "content_block_delta") {
    const block = message.blocks.get(index) ?? {};
    message.blocks.set(index, { ...block, ...grown(block, fieldsOf(fields["delta"])) });
  }
  if (fields["type"] === "message_delta") {
    message.delta = { ...message.delta, ...fieldsOf(fields["delta"]) };
    message.usage = { ...message.usage, ...knownCounts(fieldsOf(fields["usage"])) };
  }
}

/** What a delta changes in its block. A signature adds nothing that is read. */
function grown(block: Fields, delta: Fields): Fields {
  switch (delta["type"]) {
    case "text_delta":
      return { type: block["type"] ?? "text", text: appendText(block["text"], delta["text"]) };
    case "thinking_delta":
      return {
        type: block["type"] ?? "thinking",
        thinking: appendText(block["thinking"], delta["thinking"]),
      };
    case "input_json_delta":
      return { input: appendText(block["input"], delta["partial_json"]) };
    case "citations_delta":
      return { citations: [...listOf(block["citations"]), delta["citation"]] };
    case "compaction_delta":
      return { content: appendText(block["content"], delta["content"]) };
    default:
      return {};
  }
}

/** A block begins with an empty text, or an empty object as its input. */
function appendText(before: unknown, more: unknown): unknown {
  const added = textIn(more);
  return added === undefined ? before : (textIn(before) ?? "") + added;
}

/** The counts of `message_delta` are totals; one that it does not know is null. */
function knownCounts(usage: Fields): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null));
}

function closeMessage({ start, blocks, delta, usage }: OpenMessage): Fields {
  return { ...start, ...delta, content: inOrder(blocks), usage };
}
