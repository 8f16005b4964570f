import { member, type JsonObject } from "../../../json/json-tree.ts";
import { composedEvents, composedJson, linesOf } from "../../composed.ts";
import { operationFrom } from "../../operation.ts";
import { NO_USAGE } from "../../openai/chat/protocol.ts";
import type { Composed, Protocol, ReplyDraft } from "../../protocol.ts";
import { messageOf, textParts } from "../../reading/parts.ts";
import { isWholeWith } from "../../reading/reply.ts";
import { factsWith, objectWith, shortLabel, textAt, textsAmong, valueAt } from "../../reading/request.ts";
import { allBut } from "../../reading/settings.ts";
import { typedStream } from "../../stream-rules.ts";
import { inputMessages } from "./entries.ts";
import { projectConversation } from "./reply.ts";

/**
 * Mistral's conversations: one is begun, continued, or begun again from one of its entries. A stream ends with
 * `conversation.response.done`. Source: mistralai/client-python `conversations.py` and `conversationevents.py`, 2026-11.
 */
export const mistralConversations: Protocol = operationFrom({
  operation: "conversations",
  path: /(?:^|\/v\d\w*)\/conversations(?:\/[^/]+(?:\/restart)?)?$/,
  body: objectWith("A conversation"),
  facts(body) {
    const asked = inputMessages(valueAt(body, "inputs")).findLast(({ role }) => role === "user");
    const text = textsAmong(asked?.parts ?? []).findLast((one) => one.trim() !== "");
    const facts = factsWith(body, text === undefined ? "conversation" : shortLabel(text));
    return { ...facts, model: facts.model ?? textAt(body, "agent_id") };
  },
  messages: (body) => [
    ...messageOf("system", textParts(textAt(body, "instructions"))),
    ...inputMessages(valueAt(body, "inputs")),
  ],
  settings: allBut("model", "inputs", "instructions", "stream"),
  project: projectConversation,
  stream: typedStream({
    terminal: ["conversation.response.done"],
    failed: ["conversation.response.error"],
  }),
  compose,
  isWhole: isWholeWith(({ outputs }) => Array.isArray(outputs)),
});

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  const conversation_id = "conv_tapedeck";
  const entry = { id: "msg_tapedeck", role: "assistant", model: textAt(body, "model") };
  if (member(body, "stream") !== true) {
    const output = { object: "entry", type: "message.output", ...entry, content: draft.text };
    return composedJson({
      object: "conversation.response",
      conversation_id,
      outputs: [output],
      usage: NO_USAGE,
    });
  }
  return composedEvents([
    { type: "conversation.response.started", conversation_id },
    ...linesOf(draft.text).map((content) => ({
      type: "message.output.delta",
      output_index: 0,
      content_index: 0,
      ...entry,
      content,
    })),
    { type: "conversation.response.done", usage: NO_USAGE },
  ]);
}
