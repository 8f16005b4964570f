import { member, type JsonObject } from "../../../json/json-tree.ts";
import { textOf } from "../../../wire/text.ts";
import { composedFrames, composedJson, linesOf, type Composed } from "../../composed.ts";
import { fieldsOf, jsonIn, textIn } from "../../reading/lenient.ts";
import type { Protocol, ProtocolRequest, ReplyDraft } from "../../protocol.ts";
import { factsWith, objectBody, shortLabel, textsAmong, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { typedStream } from "../../stream-rules.ts";
import { inputMessages } from "./entries.ts";
import { projectConversation } from "./project.ts";

/**
 * Mistral's conversations: one is begun, continued, or begun again from one of its entries. A stream ends with
 * `conversation.response.done`. Source: mistralai/client-python `conversations.py` and `conversationevents.py`, 2026-11.
 */
export const mistralConversations: Protocol = {
  operation: "conversations",
  accepts: (method, pathname) => method === "POST" && PATH.test(pathname),
  facts: (request) => {
    const body = bodyOf(request);
    const messages = inputMessages(valueAt(body, "inputs"));
    const asked = messages.findLast(({ role }) => role === "user");
    const label = textsAmong(asked?.parts ?? []).findLast((text) => text.trim() !== "");
    const agent = textIn(valueAt(body, "agent_id"));
    return {
      ...(agent !== undefined && { model: agent }),
      ...factsWith(body, label === undefined ? "conversation" : shortLabel(label)),
      // The addresses of streams have no sign of it in all versions of the client, the body has.
      streaming: member(body, "stream") === true,
    };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    const instructions = textIn(valueAt(body, "instructions"));
    return {
      messages: [
        ...(instructions === undefined
          ? []
          : [{ role: "system", parts: [{ type: "text" as const, text: instructions }] }]),
        ...inputMessages(valueAt(body, "inputs")),
      ],
      settings: settingsOf(body, ["model", "inputs", "instructions", "stream"]),
    };
  },
  project: projectConversation,
  stream: typedStream({
    terminal: ["conversation.response.done"],
    failed: ["conversation.response.error"],
  }),
  compose: (draft, request) => compose(draft, bodyOf(request)),
  isWhole: (body) => Array.isArray(fieldsOf(jsonIn(textOf(body)))["outputs"]),
};

const PATH = /(?:^|\/v\d\w*)\/conversations(?:\/[^/]+(?:\/restart)?)?$/;

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "A conversation", needs: [] });
}

const ID = "conv_tapedeck";
/** Nothing was spent. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  const model = textIn(valueAt(body, "model"));
  const entry = { id: "msg_tapedeck", role: "assistant", ...(model !== undefined && { model }) };
  if (member(body, "stream") !== true) {
    const output = { object: "entry", type: "message.output", ...entry, content: draft.text };
    return composedJson({
      object: "conversation.response",
      conversation_id: ID,
      outputs: [output],
      usage: USAGE,
    });
  }
  const events = [
    { type: "conversation.response.started", conversation_id: ID },
    ...linesOf(draft.text).map((content) => ({
      type: "message.output.delta",
      output_index: 0,
      content_index: 0,
      ...entry,
      content,
    })),
    { type: "conversation.response.done", usage: USAGE },
  ];
  return composedFrames(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}
