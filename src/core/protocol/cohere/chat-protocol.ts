import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import {
  composeEvents,
  composeJson,
  composeFinish,
  composeFunctionCall,
  splitDraft,
  composeUsage,
} from "../base/composed.ts";
import { createChatReaders, createOperation, createObjectReader } from "../base/operation.ts";
import type { ComposedReply, Protocol, ReplyDraft } from "../base/protocol.ts";
import { createSettingsReader } from "../base/settings.ts";
import { createTypedEnd } from "../base/stream-rules.ts";
import { createStreamRules } from "../base/events.ts";
import { readCohereMessage } from "./chat-message.ts";
import { CHAT_FAMILY } from "./chat-reply.ts";

/**
 * A stream ends with the event `message-end`, after which some servers send `[DONE]`. If it contains an error or the
 * reason ERROR, the answer failed. Source: docs.cohere.com/v2/docs/streaming and cohere-python 5 `v2/client`, 2026-11.
 */
const cohereStream = createStreamRules(CHAT_FAMILY, { ...createTypedEnd("message-end"), endsWithBody: true });

/** Cohere's chat, version 2. Source: docs.cohere.com/reference/chat, 2026-11. */
export const cohereChat: Protocol = createOperation({
  operation: "chat",
  path: "/v2/chat",
  body: createObjectReader("A chat", "model", "messages"),
  ...createChatReaders(readCohereMessage),
  settings: createSettingsReader("model", "messages", "stream"),
  family: CHAT_FAMILY,
  stream: cohereStream,
  compose,
  composesToolCalls: true,
});

const ID = "tapedeck";

const FINISHED = {
  stop: "COMPLETE",
  length: "MAX_TOKENS",
  "content-filter": "ERROR_TOXIC",
  "tool-calls": "TOOL_CALL",
};

function endOf(draft: ReplyDraft): object {
  const { input: input_tokens, output: output_tokens } = composeUsage(draft);
  const counts = { input_tokens, output_tokens };
  return { finish_reason: composeFinish(draft, FINISHED), usage: { billed_units: counts, tokens: counts } };
}

function compose(draft: ReplyDraft, body: JsonObject): ComposedReply {
  const { text, toolCalls = [] } = draft;
  const tool_calls = toolCalls.map(composeFunctionCall);
  if (getMember(body, "stream") !== true) {
    const textContent = text === "" && tool_calls.length > 0 ? {} : { content: [{ type: "text", text }] };
    const message = { role: "assistant", ...textContent, ...(tool_calls.length > 0 && { tool_calls }) };
    return composeJson({ id: ID, message, ...endOf(draft) });
  }
  const open = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  return composeEvents([
    { id: ID, type: "message-start", delta: { message: open } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    ...splitDraft(draft).map((piece) => ({
      type: "content-delta",
      index: 0,
      delta: { message: { content: { text: piece } } },
    })),
    { type: "content-end", index: 0 },
    ...tool_calls.flatMap((call, index) => [
      { type: "tool-call-start", index, delta: { message: { tool_calls: call } } },
      { type: "tool-call-end", index },
    ]),
    { type: "message-end", delta: endOf(draft) },
  ]);
}
