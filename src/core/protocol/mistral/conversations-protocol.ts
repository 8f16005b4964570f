import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeEvents, composeJson, splitDraft } from "../base/composed.ts";
import {
  createOperation,
  createFacts,
  createObjectReader,
  shortenLabel,
  getText,
  listTexts,
  getValue,
} from "../base/operation.ts";
import { composeChatUsage } from "../openai/chat/protocol.ts";
import type { Composed, Protocol, ProtocolRequest, Reply, ReplyDraft, Thread } from "../base/protocol.ts";
import { readFields, tryParsePlainJson, readText } from "../../base/lenient.ts";
import { createMessages, createTextParts } from "../base/parts.ts";
import { readReply } from "../base/reply.ts";
import { createSettingsReader } from "../base/settings.ts";
import { createTypedEnd } from "../base/stream-rules.ts";
import { createStreamRules } from "../base/events.ts";
import { CONVERSATION_FAMILY, readMistralInputs } from "./conversations-reply.ts";

/**
 * Starts, continues, or restarts a conversation of Mistral. A stream ends with
 * `conversation.response.done`. Source: mistralai/client-python `conversations.py` and `conversationevents.py`, 2026-11.
 */
export const mistralConversations: Protocol = createOperation({
  operation: "conversations",
  path: /(?:^|\/v\d\w*)\/conversations(?:\/[^/]+(?:\/restart)?)?$/,
  body: createObjectReader("A conversation"),
  facts(body) {
    const asked = readMistralInputs(getValue(body, "inputs")).findLast(({ role }) => role === "user");
    const text = listTexts(asked?.parts ?? []).findLast((one) => one.trim() !== "");
    const facts = createFacts(body, text === undefined ? "conversation" : shortenLabel(text));
    return { ...facts, model: facts.model ?? getText(body, "agent_id") };
  },
  messages: (body) => [
    ...createMessages("system", createTextParts(getText(body, "instructions"))),
    ...readMistralInputs(getValue(body, "inputs")),
  ],
  settings: createSettingsReader("model", "inputs", "instructions", "stream"),
  family: CONVERSATION_FAMILY,
  thread: (_, reply, request) => threadOf(request, reply),
  stream: createStreamRules(CONVERSATION_FAMILY, createTypedEnd("conversation.response.done")),
  compose,
});

/** Reads the conversation's ID from the path, if it is continued, and from the reply or the first event of its stream. */
function threadOf({ path }: ProtocolRequest, reply: Reply): Thread {
  const [, after] = /\/conversations\/([^/?]+)/u.exec(path) ?? [];
  const read = readReply(reply);
  const values =
    read.kind === "stream"
      ? read.events.map(({ data }) => tryParsePlainJson(data))
      : [read.kind === "json" && read.value];
  const own = values
    .map((value) => readText(readFields(value)["conversation_id"]))
    .find((id) => id !== undefined);
  return { after, ids: [...new Set([own, after].filter((id) => id !== undefined))] };
}

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  const conversation_id = "conv_tapedeck";
  const entry = { id: "msg_tapedeck", role: "assistant", model: getText(body, "model") };
  if (getMember(body, "stream") !== true) {
    const output = { object: "entry", type: "message.output", ...entry, content: draft.text };
    return composeJson({
      object: "conversation.response",
      conversation_id,
      outputs: [output],
      usage: composeChatUsage(draft),
    });
  }
  return composeEvents([
    { type: "conversation.response.started", conversation_id },
    ...splitDraft(draft).map((content) => ({
      type: "message.output.delta",
      output_index: 0,
      content_index: 0,
      ...entry,
      content,
    })),
    { type: "conversation.response.done", usage: composeChatUsage(draft) },
  ]);
}
