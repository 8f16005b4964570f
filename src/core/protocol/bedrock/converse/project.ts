import type { SseEvent } from "../../../wire/sse.ts";
import { exceptionIn } from "../message.ts";
import { streamFailure, wholeFailure } from "../failure.ts";
import {
  countIn,
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import type { Projection, Usage } from "../../protocol.ts";
import { readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { messageFrom } from "./message.ts";

/** The neutral reading of a converse reply, whole or streamed. */
export function projectConverse(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "stream") return projectEvents(read.events);
  const fields = fieldsOf(read.value);
  const failure = wholeFailure(fields, reply.status);
  if (failure !== undefined) return { messages: [failure] };
  return isFields(fieldsOf(fields["output"])["message"])
    ? projectOutput(fields)
    : unreadable(jsonText(read.value));
}

/** Events named by their type, as the stream has them. */
export function projectEvents(events: readonly SseEvent[]): Projection {
  const failures = events.flatMap(({ event, data }) => exceptionIn(event, data) ?? []);
  const projection = projectOutput(assemble(events));
  const messages = [...projection.messages, ...failures.map(streamFailure)];
  return { ...projection, messages, events: events.length };
}

/** A reply of converse; Nova's models answer invoke alike. */
export function projectOutput(fields: Fields): Projection {
  const message = fieldsOf(fields["output"])["message"];
  return present({
    messages: isFields(message) ? [messageFrom(message, "assistant")] : [],
    usage: usageFrom(fields["usage"]),
    finishReason: textIn(fields["stopReason"]),
  });
}

/** Tokens from or into the cache are counted apart from `inputTokens`, as Anthropic counts. */
function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const fresh = countIn(value["inputTokens"]);
  const read = countIn(value["cacheReadInputTokens"]) ?? countIn(value["cacheReadInputTokenCount"]);
  const stored = countIn(value["cacheWriteInputTokens"]) ?? countIn(value["cacheWriteInputTokenCount"]);
  return present({
    inputTokens: fresh === undefined ? undefined : fresh + (read ?? 0) + (stored ?? 0),
    outputTokens: countIn(value["outputTokens"]),
    cachedInputTokens: read,
  });
}

function assemble(events: readonly SseEvent[]): Fields {
  const blocks = new Map<number, Fields>();
  let role = "assistant";
  let rest: Fields = {};
  for (const { event, data } of events) {
    const fields = fieldsOf(jsonIn(data));
    const index = countIn(fields["contentBlockIndex"]) ?? 0;
    if (event === "messageStart") role = textIn(fields["role"]) ?? role;
    else if (event === "contentBlockStart") blocks.set(index, fieldsOf(fields["start"]));
    else if (event === "contentBlockDelta") {
      blocks.set(index, grown(blocks.get(index) ?? {}, fieldsOf(fields["delta"])));
    } else if (event === "messageStop") rest = { ...rest, stopReason: fields["stopReason"] };
    else if (event === "metadata") rest = { ...rest, usage: fields["usage"] };
  }
  const content = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
  const started = events.some(({ event }) => event?.startsWith("message") === true) || content.length > 0;
  return { ...rest, ...(started && { output: { message: { role, content } } }) };
}

/** What a delta changes in its block. A signature adds nothing that is read. */
function grown(block: Fields, delta: Fields): Fields {
  if (typeof delta["text"] === "string") return { text: joined(block["text"], delta["text"]) };
  if (isFields(delta["toolUse"])) {
    const before = fieldsOf(block["toolUse"]);
    return { toolUse: { ...before, input: joined(before["input"], delta["toolUse"]["input"]) } };
  }
  if (isFields(delta["reasoningContent"])) {
    const before = fieldsOf(block["reasoningContent"]);
    const { text, redactedContent } = delta["reasoningContent"];
    const known = fieldsOf(before["reasoningText"])["text"];
    if (redactedContent !== undefined) return { reasoningContent: { redactedContent } };
    return text === undefined && before["redactedContent"] !== undefined
      ? block
      : { reasoningContent: { reasoningText: { text: joined(known, text) } } };
  }
  return block;
}

function joined(before: unknown, more: unknown): string {
  return `${textIn(before) ?? ""}${textIn(more) ?? ""}`;
}
