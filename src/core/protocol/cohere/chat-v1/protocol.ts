import { member, type JsonObject } from "../../../json/json-tree.ts";
import { readFrame } from "../../../wire/sse.ts";
import { bytesOf, textOf } from "../../../wire/text.ts";
import { composedJson, linesOf, type Composed } from "../../composed.ts";
import { fieldsOf, jsonIn, jsonText, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import type { Message, Part, Protocol, ProtocolRequest, ReplyDraft, StreamRules } from "../../protocol.ts";
import { factsWith, objectBody, shortLabel, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { callPart, isFailure, projectChatV1 } from "./project.ts";

/**
 * A stream is one JSON value a line, or events where the client asks for them; it ends with `stream-end`, which has the
 * whole reply in it. Source: cohere-python `types/streamed_chat_response`, docs.cohere.com/v1/reference/chat, 2026-11.
 */
const cohereV1Stream: StreamRules = {
  isTerminal: (piece) => typeOf(piece) === "stream-end",
  isError: (piece) => {
    const fields = eventIn(piece);
    return isFailure(fields) || String(fields["finish_reason"]).startsWith("ERROR");
  },
  // Its members come in no certain order.
  mayBeTerminal: () => true,
};

/** Cohere's chat, version 1, whose clients are still in use. Source: docs.cohere.com/v1/reference/chat, 2026-11. */
export const cohereChatV1: Protocol = {
  operation: "chat.v1",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/v1/chat"),
  facts: (request) => {
    const body = bodyOf(request);
    return factsWith(body, shortLabel(textIn(valueAt(body, "message")) ?? "") || "chat");
  },
  conversation: (request) => {
    const body = bodyOf(request);
    const said = (role: string, text: string | undefined): Message[] =>
      text === undefined ? [] : [{ role, parts: [{ type: "text", text }] }];
    return {
      messages: [
        ...said("system", textIn(valueAt(body, "preamble"))),
        ...listOf(valueAt(body, "chat_history")).map(turn),
        ...said("user", textIn(valueAt(body, "message"))),
        ...listOf(valueAt(body, "tool_results")).map((result): Message => ({
          role: "tool",
          parts: [resultPart(result)],
        })),
      ],
      settings: settingsOf(body, SHOWN),
    };
  },
  project: projectChatV1,
  stream: cohereV1Stream,
  compose: (draft, request) => compose(draft, bodyOf(request)),
  isWhole: (body) => {
    const fields = fieldsOf(jsonIn(textOf(body)));
    return typeof fields["text"] === "string" && !String(fields["finish_reason"]).startsWith("ERROR");
  },
};

const SHOWN = ["model", "message", "preamble", "chat_history", "tool_results", "stream"];

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "A chat", needs: ["message"] });
}

/** Roles are USER, CHATBOT, SYSTEM and TOOL. */
function turn(value: unknown): Message {
  const fields = fieldsOf(value);
  const role = (textIn(fields["role"]) ?? "message").toLowerCase();
  const text = textIn(fields["message"]);
  const parts: Part[] = [
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...listOf(fields["tool_calls"]).map(callPart),
    ...listOf(fields["tool_results"]).map(resultPart),
  ];
  return { role: role === "chatbot" ? "assistant" : role, parts };
}

function resultPart(value: unknown): Part {
  const { call, outputs } = fieldsOf(value);
  const id = textIn(fieldsOf(call)["name"]);
  return { type: "tool-result", ...(id !== undefined && { id }), text: jsonText(outputs ?? value) };
}

function eventIn(piece: string): Fields {
  return fieldsOf(jsonIn(readFrame(piece).data ?? piece));
}

function typeOf(piece: string): unknown {
  return piece.includes("stream-end") ? eventIn(piece)["event_type"] : undefined;
}

const ID = "tapedeck";
/** Nothing was spent. */
const META = {
  api_version: { version: "1" },
  billed_units: { input_tokens: 0, output_tokens: 0 },
  tokens: { input_tokens: 0, output_tokens: 0 },
};

function compose({ text }: ReplyDraft, body: JsonObject): Composed {
  const end = { finish_reason: "COMPLETE", meta: META };
  const whole = { response_id: ID, generation_id: ID, text, chat_history: [], ...end };
  if (member(body, "stream") !== true) return composedJson(whole);
  const events = [
    { is_finished: false, event_type: "stream-start", generation_id: ID },
    ...linesOf(text).map((line) => ({ is_finished: false, event_type: "text-generation", text: line })),
    { is_finished: true, event_type: "stream-end", finish_reason: "COMPLETE", response: whole },
  ];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  return { contentType: "application/stream+json", body: bytesOf(lines.join("")) };
}
