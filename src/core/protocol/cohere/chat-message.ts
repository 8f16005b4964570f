import { readFields, isFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import { createMediaAt } from "../base/media.ts";
import type { ConversationMessage, ConversationPart } from "../base/protocol.ts";
import {
  createFunctionCallPart,
  createOtherPart,
  readContentParts,
  createResultPart,
  createTextParts,
  createThinkingParts,
} from "../base/parts.ts";

/**
 * Reads a message of Cohere's chat. Its plan for tools counts as thinking. Source: docs.cohere.com/reference/chat, 2026-11.
 */
export function readCohereMessage(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const role = readText(fields["role"]) ?? defaultRole;
  if (role === "tool") return { role, parts: [toolPart(fields)] };
  const citations = readList(fields["citations"]);
  return {
    role,
    parts: [
      ...createThinkingParts(fields["tool_plan"]),
      ...readContentParts(fields["content"], readCoherePart),
      ...readList(fields["tool_calls"]).map((call) => createFunctionCallPart(call)),
      ...(citations.length === 0 ? [] : [readCohereCitations(citations.map(readFields))]),
    ],
  };
}

export function readCoherePart(value: unknown): ConversationPart[] {
  const fields = readFields(value);
  const { text, thinking } = fields;
  if (fields["type"] === "text" && typeof text === "string") return createTextParts(text);
  if (fields["type"] === "thinking" && typeof thinking === "string") return createThinkingParts(thinking);
  const url = readText(readFields(fields["image_url"])["url"]);
  if (url !== undefined) return [createMediaAt("image", url)];
  return [createOtherPart(readText(fields["type"]) ?? "content", stringifyJson(value))];
}

/** Reads a tool result, which consists of texts or documents. */
function toolPart(fields: Fields): ConversationPart {
  const { content } = fields;
  const texts = readList(content).map((one) => {
    const part = readFields(one);
    const data = readFields(part["document"])["data"];
    return (
      readText(part["text"]) ??
      readText(data) ??
      (data === undefined ? stringifyJson(one) : stringifyJson(data))
    );
  });
  const text = typeof content === "string" ? content : texts.join("\n");
  return createResultPart(fields["tool_call_id"], text);
}

/** Lists passages with their sources, which are objects with an ID, or IDs. */
export function readCohereCitations(citations: readonly Fields[]): ConversationPart {
  const lines = citations.map((one) => {
    const names = readList(one["sources"]).map((name) =>
      isFields(name) ? (readText(name["id"]) ?? "source") : String(name),
    );
    return `${stringifyJson(one["text"])}: ${names.join(", ")}`;
  });
  return createOtherPart("citations", lines.join("\n"));
}
