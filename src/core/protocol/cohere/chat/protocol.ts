import { member, type JsonObject } from "../../../json/json-tree.ts";
import { readFrame } from "../../../wire/sse.ts";
import { textOf } from "../../../wire/text.ts";
import { composedFrames, composedJson, linesOf, type Composed } from "../../composed.ts";
import { fieldsOf, isFields, jsonIn, listOf } from "../../reading/lenient.ts";
import type { Protocol, ProtocolRequest, ReplyDraft, StreamRules } from "../../protocol.ts";
import { chatBody, chatFacts, textsAmong, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { mayBeNamed } from "../../stream-rules.ts";
import { messageFrom } from "./message.ts";
import { isFailure, projectChat } from "./project.ts";

/**
 * A stream ends with the event `message-end`, behind which some servers say `[DONE]`; with an error in it, or the
 * reason ERROR, the answer failed. Source: docs.cohere.com/v2/docs/streaming and cohere-python 5 `v2/client`, 2026-11.
 */
const cohereStream: StreamRules = {
  isTerminal: (event) => nameOf(event) === "message-end",
  endsWithBody: true,
  isError: (event) => {
    const fields = fieldsOf(jsonIn(readFrame(event).data ?? ""));
    const delta = fieldsOf(fields["delta"]);
    return isFailure(fields) || Boolean(delta["error"]) || String(delta["finish_reason"]).startsWith("ERROR");
  },
  mayBeTerminal: (beginning) => mayBeNamed(beginning, "message-end"),
};

/** Cohere's chat, version 2. Source: docs.cohere.com/reference/chat, 2026-11. */
export const cohereChat: Protocol = {
  operation: "chat",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/v2/chat"),
  facts: (request) => chatFacts(bodyOf(request), (message) => textsAmong(messageFrom(message, "user").parts)),
  conversation: (request) => {
    const body = bodyOf(request);
    const messages = listOf(valueAt(body, "messages")).map((message) => messageFrom(message, "message"));
    return { messages, settings: settingsOf(body, ["model", "messages", "stream"]) };
  },
  project: projectChat,
  stream: cohereStream,
  compose: (draft, request) => compose(draft, bodyOf(request)),
  isWhole: (body) => isFields(fieldsOf(jsonIn(textOf(body)))["message"]),
};

function nameOf(frame: string): unknown {
  const { event, data } = readFrame(frame);
  return event ?? fieldsOf(jsonIn(data ?? ""))["type"];
}

const ID = "tapedeck";
/** Nothing was spent. */
const END = {
  finish_reason: "COMPLETE",
  usage: {
    billed_units: { input_tokens: 0, output_tokens: 0 },
    tokens: { input_tokens: 0, output_tokens: 0 },
  },
};

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  if (member(body, "stream") !== true) {
    const message = { role: "assistant", content: [{ type: "text", text: draft.text }] };
    return composedJson({ id: ID, message, ...END });
  }
  const open = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  const events = [
    { id: ID, type: "message-start", delta: { message: open } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    ...linesOf(draft.text).map((text) => ({
      type: "content-delta",
      index: 0,
      delta: { message: { content: { text } } },
    })),
    { type: "content-end", index: 0 },
    { type: "message-end", delta: END },
  ];
  return composedFrames(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

function bodyOf(request: ProtocolRequest): JsonObject {
  return chatBody(request, { operation: "A chat", model: true });
}
