import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeJson, composeLines, composeFinish, splitDraft, composeUsage } from "../base/composed.ts";
import { type EventReader, type ReplyEvent, type WireFamily, createStreamRules } from "../base/events.ts";
import {
  createOperation,
  createFacts,
  listAt,
  createObjectReader,
  shortenLabel,
  getText,
} from "../base/operation.ts";
import type {
  Composed,
  ConversationMessage,
  ConversationPart,
  Protocol,
  ReplyDraft,
} from "../base/protocol.ts";
import { readFields, isFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import { createCallPart, createMessages, createResultPart, createTextParts } from "../base/parts.ts";
import { createSettingsReader } from "../base/settings.ts";
import { readCohereCitations } from "./chat-message.ts";
import { readFailedEvent, finishEvent } from "./failure.ts";

const PLACE = { text: 0, calls: 1, citations: 10_000 };

/** Chats of version 1. The last event contains the whole reply, so that streamed calls are not repeated there. */
const CHAT_FAMILY: WireFamily = {
  usage: "cohere",
  failureIn: (fields) => typeof fields["text"] !== "string" && readFailedEvent(fields, "event_type"),
  chunksOf: (fields) =>
    typeof fields["text"] === "string" ? [{ event_type: "stream-end", response: fields }] : undefined,
  reader: createChatReader,
};

function createChatReader(): EventReader {
  let isSaid = false;
  let calls = 0;
  const callEvents = (given: unknown): readonly ReplyEvent[] =>
    readList(given).map((call) => callEvent(readFields(call), PLACE.calls + calls++));
  return {
    read(event) {
      const failed = readFailedEvent(event, "event_type");
      if (failed !== undefined) return [{ type: "error", error: failed }];
      const { event_type: type, text, tool_calls: called } = event;
      if (type === "tool-calls-generation") return callEvents(called);
      if (type === "text-generation") {
        isSaid = true;
        return [{ type: "text", index: PLACE.text, text: String(text), isSilent: true }];
      }
      if (type !== "stream-end") return [];
      const { text: said, tool_calls: made, ...whole } = readFields(event["response"]);
      return [
        { type: "message" },
        { type: "text", index: PLACE.text, text: isSaid ? "" : (readText(said) ?? ""), isSilent: true },
        ...(calls > 0 ? [] : callEvents(made)),
        ...endEvents(whole),
        finishEvent(whole["finish_reason"] ?? event["finish_reason"]),
      ];
    },
  };
}

function callEvent({ name, parameters }: Fields, index: number): ReplyEvent {
  return { type: "call", index, name: readText(name), arguments: stringifyJson(parameters ?? {}) };
}

function endEvents({ citations, meta }: Fields): readonly ReplyEvent[] {
  const cited = readList(citations).map(readFields);
  const parts = cited.length === 0 ? [] : [readCohereCitations(cited, "document_ids")];
  return [
    { type: "part", index: PLACE.citations, parts, raw: citations },
    ...(isFields(meta) ? [{ type: "usage" as const, usage: meta }] : []),
  ];
}

/** Cohere's chat, version 1, whose clients are still in use. Source: docs.cohere.com/v1/reference/chat, 2026-11. */
export const cohereChatV1: Protocol = createOperation({
  operation: "chat.v1",
  path: "/v1/chat",
  body: createObjectReader("A chat", "message"),
  facts: (body) => createFacts(body, shortenLabel(getText(body, "message") ?? "") || "chat"),
  messages: (body) => [
    ...createMessages("system", createTextParts(getText(body, "preamble"))),
    ...listAt(body, "chat_history").map(turn),
    ...createMessages("user", createTextParts(getText(body, "message"))),
    ...listAt(body, "tool_results").map((result) => ({ role: "tool", parts: [outputPart(result)] })),
  ],
  settings: createSettingsReader("model", "message", "preamble", "chat_history", "tool_results", "stream"),
  family: CHAT_FAMILY,
  thread(body) {
    const held = getText(body, "conversation_id");
    return { after: held, ids: held === undefined ? [] : [held] };
  },
  /**
   * A stream has one JSON value per line, or events if the client asks for them. It ends with `stream-end`, which
   * contains the whole reply. Source: cohere-python `types/streamed_chat_response`, docs.cohere.com/v1/reference/chat, 2026-11.
   */
  stream: createStreamRules(CHAT_FAMILY),
  compose,
});

/** Reads a message with the role USER, CHATBOT, SYSTEM, or TOOL. */
function turn(value: unknown): ConversationMessage {
  const fields = readFields(value);
  const role = (readText(fields["role"]) ?? "message").toLowerCase();
  const parts: ConversationPart[] = [
    ...createTextParts(fields["message"]),
    ...readList(fields["tool_calls"]).map(toolCallPart),
    ...readList(fields["tool_results"]).map(outputPart),
  ];
  return { role: role === "chatbot" ? "assistant" : role, parts };
}

function outputPart(value: unknown): ConversationPart {
  const { call, outputs } = readFields(value);
  return createResultPart(readFields(call)["name"], stringifyJson(outputs ?? value));
}

/** Reads a call, which has a name and an object of parameters, but no ID. */
function toolCallPart(value: unknown): ConversationPart {
  const { name, parameters } = readFields(value);
  return createCallPart(undefined, name, stringifyJson(parameters ?? {}));
}

const ID = "tapedeck";
const FINISHES = {
  stop: "COMPLETE",
  length: "MAX_TOKENS",
  "content-filter": "ERROR_TOXIC",
  "tool-calls": "COMPLETE",
};

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  const { text } = draft;
  const { input, output } = composeUsage(draft);
  const spent = { input_tokens: input, output_tokens: output };
  const meta = { api_version: { version: "1" }, billed_units: spent, tokens: spent };
  const end = { finish_reason: composeFinish(draft, FINISHES), meta };
  const whole = { response_id: ID, generation_id: ID, text, chat_history: [], ...end };
  if (getMember(body, "stream") !== true) return composeJson(whole);
  const events = [
    { is_finished: false, event_type: "stream-start", generation_id: ID },
    ...splitDraft(draft).map((line) => ({ is_finished: false, event_type: "text-generation", text: line })),
    { is_finished: true, event_type: "stream-end", finish_reason: end.finish_reason, response: whole },
  ];
  return composeLines(events, "application/stream+json");
}
