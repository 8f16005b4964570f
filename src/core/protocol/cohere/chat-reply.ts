import {
  readCount,
  readFields,
  isFields,
  readList,
  readText,
  writeTextOrJson,
  type Fields,
} from "../../base/lenient.ts";
import type { EventReader, FinishEvent, ReplyEvent, WireFamily } from "../base/events.ts";
import { readCohereCitations, readCoherePart } from "./chat-message.ts";

/** Chats of version 2. */
export const CHAT_FAMILY: WireFamily = {
  usage: "cohere",
  reader: createChatReader,
  chunksOf: splitReply,
  failureIn: (fields, { status }) =>
    (status >= 400 || fields["code"] !== undefined) && readCohereFailure(fields),
};

/** Splits a whole reply into the events of its stream. */
function splitReply(fields: Fields): readonly Fields[] | undefined {
  const { message, finish_reason, usage } = fields;
  if (!isFields(message)) return undefined;
  const { role, tool_plan, content, tool_calls: calls, citations } = message;
  const contents = typeof content === "string" ? [{ type: "text", text: content }] : readList(content);
  const event = (type: string, part: Fields, index = 0): Fields => ({
    type,
    index,
    delta: { message: part },
  });
  return [
    event("message-start", { role }),
    event("tool-plan-delta", { tool_plan }),
    ...contents.map((one, index) => event("content-start", { content: one }, index)),
    ...readList(calls).map((call, index) => event("tool-call-start", { tool_calls: call }, index)),
    ...readList(citations).map((one) => event("citation-start", { citations: one })),
    { type: "message-end", delta: { finish_reason, usage } },
  ];
}

const PLACE = { plan: 0, content: 1, calls: 10_000, citations: 20_000 };

function createChatReader(): EventReader {
  const citations: unknown[] = [];
  return {
    read(event) {
      const failed = event["type"] === undefined ? readCohereFailure(event) : undefined;
      if (failed !== undefined) return [{ type: "error", error: failed }];
      const type = readText(event["type"]) ?? "";
      const at = readCount(event["index"]) ?? 0;
      const delta = readFields(event["delta"]);
      const message = readFields(delta["message"]);
      if (type === "message-start") return [{ type: "message", role: readText(message["role"]) }];
      if (type.startsWith("content-")) return contentEvents(message["content"], PLACE.content + at);
      if (type === "tool-plan-delta") {
        const text = readText(message["tool_plan"]) ?? "";
        return [{ type: "thinking", index: PLACE.plan, text, isSilent: true }];
      }
      if (type.startsWith("tool-call-")) return callEvents(message["tool_calls"], PLACE.calls + at);
      if (type === "citation-start") {
        citations.push(message["citations"]);
        const part = readCohereCitations(citations.map(readFields));
        return [{ type: "part", index: PLACE.citations, parts: [part], raw: message["citations"] }];
      }
      return type === "message-end" ? endEvents(delta) : [];
    },
  };
}

/** Reads the content of an event. `content-end` has none. */
function contentEvents(content: unknown, index: number): readonly ReplyEvent[] {
  if (content === undefined) return [];
  if (typeof content === "string") return [{ type: "text", index, text: content, isSilent: true }];
  const { text, thinking } = readFields(content);
  if (typeof text === "string") return [{ type: "text", index, text, isSilent: true }];
  if (typeof thinking === "string") return [{ type: "thinking", index, text: thinking, isSilent: true }];
  return [{ type: "part", index, parts: readCoherePart(content), raw: content }];
}

function callEvents(call: unknown, index: number): readonly ReplyEvent[] {
  if (!isFields(call)) return [];
  const { name, arguments: given } = readFields(call["function"]);
  const text = given === undefined ? undefined : writeTextOrJson(given);
  return [{ type: "call", index, id: readText(call["id"]), name: readText(name), arguments: text }];
}

function endEvents({ finish_reason: reason, usage, error }: Fields): readonly ReplyEvent[] {
  return [
    ...(isFields(usage) ? [{ type: "usage" as const, usage }] : []),
    finishEvent(reason),
    ...(error ? [{ type: "error" as const, error }] : []),
  ];
}

/**
 * Returns the failure in a whole reply, or in place of an event, which has a type: an object with a message.
 * Source: docs.cohere.com/reference/errors, 2026-11.
 */
function readCohereFailure(fields: Fields): Fields | undefined {
  return typeof fields["message"] === "string" ? fields : undefined;
}

/** Makes the event for the end of an answer. Reasons that start with ERROR mean that it was aborted. */
function finishEvent(given: unknown): FinishEvent {
  const reason = readText(given);
  if (reason === undefined) return { type: "finish", reason: "COMPLETE", only: "stream" };
  return { type: "finish", reason, ...(reason.startsWith("ERROR") && { isGivenUp: true }) };
}
