import { member, type JsonObject } from "../../../json/json-tree.ts";
import { composedEvents, composedJson, linesOf } from "../../composed.ts";
import { chatReading, operationFrom, type Operation } from "../../operation.ts";
import type { Composed, Message, Protocol, ReplyDraft } from "../../protocol.ts";
import { messageOf } from "../../reading/parts.ts";
import { objectWith, textAt, valueAt } from "../../reading/request.ts";
import { allBut } from "../../reading/settings.ts";
import { tokenCount } from "../../reading/token-count.ts";
import { typedStream } from "../../stream-rules.ts";
import { contentParts, messageFrom } from "./blocks.ts";
import { projectMessage } from "./reply.ts";

const CHAT = chatReading(messageFrom);

/** What a request asks for beside its messages. */
export const otherSettings = allBut("model", "messages", "system", "stream");

const MESSAGE: Operation<JsonObject> = {
  operation: "messages",
  // @ai-sdk/anthropic takes the version for a part of the base address.
  path: /\/v1\/messages$|^\/messages$/,
  body: objectWith("A message", "model", "messages"),
  ...CHAT,
  messages: messagesOf,
  settings: otherSettings,
  project: projectMessage,
  // The official SDK goes by the names of events. Source: docs.anthropic.com/en/docs/build-with-claude/streaming, 2026-11.
  stream: typedStream({ terminal: ["message_stop"], failed: ["error"] }),
  compose: composeMessage,
};

/** Anthropic messages. Source: docs.anthropic.com/en/api/messages, 2026-11. */
export const anthropicMessages: Protocol = operationFrom(MESSAGE);

/** Counts the tokens of a message before it is sent. Source: docs.anthropic.com/en/api/messages-count-tokens, 2026-11. */
export const anthropicCountTokens: Protocol = tokenCount(MESSAGE, {
  operation: "messages.count_tokens",
  path: "/v1/messages/count_tokens",
  sample: { input_tokens: 0 },
});

export function messagesOf(body: JsonObject): Message[] {
  return [...messageOf("system", contentParts(valueAt(body, "system"))), ...CHAT.messages(body)];
}

/** Nothing was spent. */
const USAGE = { input_tokens: 0, output_tokens: 0 };
const ENDED = { stop_reason: "end_turn", stop_sequence: null };

/** A message that says the draft's text; a stream with an event a line of it, so that it can be read and edited. */
export function composeMessage({ text }: ReplyDraft, body: JsonObject): Composed {
  const head = {
    id: "msg_tapedeck",
    type: "message",
    role: "assistant",
    model: textAt(body, "model") ?? "",
  };
  if (member(body, "stream") !== true)
    return composedJson({ ...head, content: [{ type: "text", text }], ...ENDED, usage: USAGE });
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: USAGE };
  return composedEvents([
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...linesOf(text).map((line) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: line },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: ENDED, usage: { output_tokens: USAGE.output_tokens } },
    { type: "message_stop" },
  ]);
}
