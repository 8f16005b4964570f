import type { SseEvent } from "../../base/wire/sse.ts";
import { countIn, fieldsOf, inOrder, isFields, jsonIn, textIn, type Fields } from "../../base/lenient.ts";
import { replyReader, type StreamReading } from "../base/reply.ts";
import { usageIn } from "../base/usage.ts";
import type { Projection } from "../base/protocol.ts";
import { failureIn, wholeFailure } from "./event-messages.ts";
import { messageFrom } from "./converse-message.ts";

export const projectConverse = replyReader({
  failure: wholeFailure,
  whole: (fields) => (isFields(fieldsOf(fields["output"])["message"]) ? projectOutput(fields) : undefined),
  stream: projectEvents,
});

/** Events named by their type, as the stream has them. */
export function projectEvents(events: readonly SseEvent[]): StreamReading {
  const errors = events.flatMap((event) => failureIn(event) ?? []);
  return { read: projectOutput(assemble(events)), errors };
}

/** A reply of converse; Nova's models answer invoke alike. */
export function projectOutput(fields: Fields): Projection {
  const { message } = fieldsOf(fields["output"]);
  return {
    messages: isFields(message) ? [messageFrom(message, "assistant")] : [],
    usage: usageIn(fields["usage"], "bedrock"),
    finishReason: textIn(fields["stopReason"]),
  };
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
  const content = inOrder(blocks);
  const started = events.some(({ event }) => event?.startsWith("message") === true) || content.length > 0;
  return { ...rest, output: started ? { message: { role, content } } : undefined };
}

/** What a delta changes in its block. A signature adds nothing that is read. */
function grown(block: Fields, delta: Fields): Fields {
  if (typeof delta["text"] === "string") return { text: joinTexts(block["text"], delta["text"]) };
  if (isFields(delta["toolUse"])) {
    const before = fieldsOf(block["toolUse"]);
    return { toolUse: { ...before, input: joinTexts(before["input"], delta["toolUse"]["input"]) } };
  }
  if (isFields(delta["reasoningContent"])) {
    const before = fieldsOf(block["reasoningContent"]);
    const { text, redactedContent } = delta["reasoningContent"];
    const known = fieldsOf(before["reasoningText"])["text"];
    if (redactedContent !== undefined) return { reasoningContent: { redactedContent } };
    return text === undefined && before["redactedContent"] !== undefined
      ? block
      : { reasoningContent: { reasoningText: { text: joinTexts(known, text) } } };
  }
  return block;
}

const joinTexts = (before: unknown, more: unknown): string => `${textIn(before) ?? ""}${textIn(more) ?? ""}`;
