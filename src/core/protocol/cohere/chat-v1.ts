import { member, type JsonObject } from "../../base/json/json-tree.ts";
import { readFrame, type SseEvent } from "../../base/wire/sse.ts";
import { composedJson, composedLines, finishOf, piecesOf, spentIn } from "../base/composed.ts";
import { operationFrom } from "../base/operation.ts";
import type {
  Composed,
  ConversationMessage,
  ConversationPart,
  Projection,
  Protocol,
  ReplyDraft,
} from "../base/protocol.ts";
import { fieldsOf, jsonIn, jsonText, listOf, textIn, type Fields } from "../../base/lenient.ts";
import { callPart, messageOf, otherPart, resultPart, textParts } from "../base/parts.ts";
import { isWholeWith, replyReader, type StreamReading } from "../base/reply.ts";
import { factsWith, listAt, objectWith, shortLabel, textAt } from "../base/request.ts";
import { allBut } from "../base/settings.ts";
import { usageIn } from "../base/usage.ts";
import { failedEvent, isErrorReason } from "./failure.ts";

/** Cohere's chat, version 1, whose clients are still in use. Source: docs.cohere.com/v1/reference/chat, 2026-11. */
export const cohereChatV1: Protocol = operationFrom({
  operation: "chat.v1",
  path: "/v1/chat",
  body: objectWith("A chat", "message"),
  facts: (body) => factsWith(body, shortLabel(textAt(body, "message") ?? "") || "chat"),
  messages: (body) => [
    ...messageOf("system", textParts(textAt(body, "preamble"))),
    ...listAt(body, "chat_history").map(turn),
    ...messageOf("user", textParts(textAt(body, "message"))),
    ...listAt(body, "tool_results").map((result) => ({ role: "tool", parts: [outputPart(result)] })),
  ],
  settings: allBut("model", "message", "preamble", "chat_history", "tool_results", "stream"),
  project: replyReader({
    failure: (fields) => typeof fields["text"] !== "string" && failedEvent(fields, "event_type"),
    whole: (fields) => (typeof fields["text"] === "string" ? projectReply(fields) : undefined),
    stream: projectEvents,
  }),
  thread(body) {
    const held = textAt(body, "conversation_id");
    return { after: held, ids: held === undefined ? [] : [held] };
  },
  /**
   * A stream is one JSON value a line, or events where the client asks for them; it ends with `stream-end`, which has
   * the whole reply in it. Source: cohere-python `types/streamed_chat_response`, docs.cohere.com/v1/reference/chat, 2026-11.
   */
  stream: {
    isTerminal: (piece) => piece.includes("stream-end") && eventIn(piece)["event_type"] === "stream-end",
    isError: (piece) => {
      const event = eventIn(piece);
      return failedEvent(event, "event_type") !== undefined || isErrorReason(event["finish_reason"]);
    },
    // Its members come in no certain order.
    mayBeTerminal: () => true,
  },
  compose,
  isWhole: isWholeWith(
    (fields) => typeof fields["text"] === "string" && !isErrorReason(fields["finish_reason"]),
  ),
});

/** Roles are USER, CHATBOT, SYSTEM and TOOL. */
function turn(value: unknown): ConversationMessage {
  const fields = fieldsOf(value);
  const role = (textIn(fields["role"]) ?? "message").toLowerCase();
  const parts: ConversationPart[] = [
    ...textParts(fields["message"]),
    ...listOf(fields["tool_calls"]).map(toolCallPart),
    ...listOf(fields["tool_results"]).map(outputPart),
  ];
  return { role: role === "chatbot" ? "assistant" : role, parts };
}

function outputPart(value: unknown): ConversationPart {
  const { call, outputs } = fieldsOf(value);
  return resultPart(fieldsOf(call)["name"], jsonText(outputs ?? value));
}

/** A call has a name and an object of parameters, and no id. */
function toolCallPart(value: unknown): ConversationPart {
  const { name, parameters } = fieldsOf(value);
  return callPart(undefined, name, jsonText(parameters ?? {}));
}

const eventIn = (piece: string): Fields => fieldsOf(jsonIn(readFrame(piece).data ?? piece));

/** What was streamed counts where the end did not come. */
function projectEvents(events: readonly SseEvent[]): StreamReading {
  const all = events.map(({ data }) => fieldsOf(jsonIn(data)));
  const ofType = (type: string): Fields[] => all.filter((event) => event["event_type"] === type);
  const [end] = ofType("stream-end");
  const whole = {
    ...end,
    text: ofType("text-generation")
      .map(({ text }) => text)
      .join(""),
    tool_calls: ofType("tool-calls-generation").flatMap(({ tool_calls: calls }) => listOf(calls)),
    ...fieldsOf(end?.["response"]),
  };
  return {
    read: projectReply(whole),
    errors: all.flatMap((event) => failedEvent(event, "event_type") ?? []),
  };
}

function projectReply(fields: Fields): Projection {
  const cited = listOf(fields["citations"]).map((one) => {
    const { text: passage, document_ids: ids } = fieldsOf(one);
    return `${jsonText(passage)}: ${listOf(ids).join(", ")}`;
  });
  const parts: ConversationPart[] = [
    ...textParts(fields["text"]),
    ...listOf(fields["tool_calls"]).map(toolCallPart),
    ...(cited.length === 0 ? [] : [otherPart("citations", cited.join("\n"))]),
  ];
  return {
    messages: [{ role: "assistant", parts }],
    usage: usageIn(fields["meta"], "cohere"),
    finishReason: textIn(fields["finish_reason"]),
  };
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
  const { input, output } = spentIn(draft);
  const spent = { input_tokens: input, output_tokens: output };
  const meta = { api_version: { version: "1" }, billed_units: spent, tokens: spent };
  const end = { finish_reason: finishOf(draft, FINISHES), meta };
  const whole = { response_id: ID, generation_id: ID, text, chat_history: [], ...end };
  if (member(body, "stream") !== true) return composedJson(whole);
  const events = [
    { is_finished: false, event_type: "stream-start", generation_id: ID },
    ...piecesOf(draft).map((line) => ({ is_finished: false, event_type: "text-generation", text: line })),
    { is_finished: true, event_type: "stream-end", finish_reason: end.finish_reason, response: whole },
  ];
  return composedLines(events, "application/stream+json");
}
