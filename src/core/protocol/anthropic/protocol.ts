import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import {
  composeArguments,
  composeEvents,
  composeJson,
  composeFinish,
  splitDraft,
  composeUsage,
} from "../base/composed.ts";
import {
  createChatReaders,
  createOperation,
  createTokenCount,
  type Operation,
  createObjectReader,
  getText,
  getValue,
} from "../base/operation.ts";
import type { ComposedReply, ConversationMessage, Protocol, ReplyDraft } from "../base/protocol.ts";
import { createMessages } from "../base/parts.ts";
import { createSettingsReader } from "../base/settings.ts";
import { createTypedEnd } from "../base/stream-rules.ts";
import { createChoicesCheck, createStreamRules } from "../base/events.ts";
import { readAnthropicContent, readAnthropicMessage } from "./blocks.ts";
import { MESSAGES_FAMILY } from "./reply.ts";

const CHAT = createChatReaders(readAnthropicMessage);

export const otherSettings = createSettingsReader("model", "messages", "system", "stream");

const MESSAGE: Operation<JsonObject> = {
  operation: "messages",
  // @ai-sdk/anthropic expects the version as a part of the base URL.
  path: /\/v1\/messages$|^\/messages$/,
  body: createObjectReader("A message", "model", "messages"),
  ...CHAT,
  messages: readAnthropicMessages,
  settings: otherSettings,
  family: MESSAGES_FAMILY,
  // The official SDK reads the names of events. Source: docs.anthropic.com/en/docs/build-with-claude/streaming, 2026-11.
  stream: createStreamRules(
    MESSAGES_FAMILY,
    { ...createTypedEnd("message_stop"), isFinished: createChoicesCheck(MESSAGES_FAMILY) },
    /error/,
  ),
  compose: composeMessage,
  composesToolCalls: true,
};

/** Anthropic messages. Source: docs.anthropic.com/en/api/messages, 2026-11. */
export const anthropicMessages: Protocol = createOperation(MESSAGE);

/** Counts the tokens of a message before it is sent. Source: docs.anthropic.com/en/api/messages-count-tokens, 2026-11. */
export const anthropicCountTokens: Protocol = createTokenCount(MESSAGE, {
  operation: "messages.count_tokens",
  path: "/v1/messages/count_tokens",
  member: "input_tokens",
});

export function readAnthropicMessages(body: JsonObject): ConversationMessage[] {
  return [
    ...createMessages("system", readAnthropicContent(getValue(body, "system"))),
    ...CHAT.messages(body),
  ];
}

const FINISHED = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
};

/** Composes a message with the draft's text and tool calls, or a stream with an event per piece. */
export function composeMessage(draft: ReplyDraft, body: JsonObject): ComposedReply {
  const { input, output } = composeUsage(draft);
  const head = {
    id: "msg_tapedeck",
    type: "message",
    role: "assistant",
    model: getText(body, "model") ?? "",
  };
  const ended = { stop_reason: composeFinish(draft, FINISHED), stop_sequence: null };
  const blocks = blocksOf(draft);
  if (getMember(body, "stream") !== true) {
    const usage = { input_tokens: input, output_tokens: output };
    return composeJson({ ...head, content: blocks.map(({ whole }) => whole), ...ended, usage });
  }
  const usage = { input_tokens: input, output_tokens: 0 };
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  return composeEvents([
    { type: "message_start", message },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: ended, usage: { output_tokens: output } },
    { type: "message_stop" },
  ]);
}

interface Block {
  readonly whole: object;
  readonly start: object;
  readonly deltas: readonly object[];
}

/** Composes the content blocks. A reply without tool calls has a text block, even if it is empty. */
function blocksOf(draft: ReplyDraft): readonly Block[] {
  const { text, toolCalls = [] } = draft;
  const textBlock: Block = {
    whole: { type: "text", text },
    start: { type: "text", text: "" },
    deltas: splitDraft(draft).map((piece) => ({ type: "text_delta", text: piece })),
  };
  const calls = toolCalls.map((call): Block => {
    const start = { type: "tool_use", id: call.id, name: call.name };
    return {
      whole: { ...start, input: composeArguments(call) },
      start: { ...start, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: call.arguments }],
    };
  });
  return text === "" && calls.length > 0 ? calls : [textBlock, ...calls];
}
