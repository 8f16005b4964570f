import { fieldsOf, isFields, jsonText, listOf, textIn, type Fields } from "../../base/lenient.ts";
import { mediaAt } from "../base/media.ts";
import type { ConversationMessage, ConversationPart } from "../base/protocol.ts";
import {
  functionCallPart,
  otherPart,
  partsOfContent,
  resultPart,
  textParts,
  thinkingParts,
} from "../base/parts.ts";

/**
 * Reads a message of Cohere's chat. Its plan for tools counts as thinking. Source: docs.cohere.com/reference/chat, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): ConversationMessage {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  if (role === "tool") return { role, parts: [toolPart(fields)] };
  const citations = listOf(fields["citations"]);
  return {
    role,
    parts: [
      ...thinkingParts(fields["tool_plan"]),
      ...partsOfContent(fields["content"], contentPart),
      ...listOf(fields["tool_calls"]).map((call) => functionCallPart(call)),
      ...(citations.length === 0 ? [] : [citationsPart(citations.map(fieldsOf), "sources")]),
    ],
  };
}

export function contentPart(value: unknown): ConversationPart[] {
  const fields = fieldsOf(value);
  const { text, thinking } = fields;
  if (fields["type"] === "text" && typeof text === "string") return textParts(text);
  if (fields["type"] === "thinking" && typeof thinking === "string") return thinkingParts(thinking);
  const url = textIn(fieldsOf(fields["image_url"])["url"]);
  if (url !== undefined) return [mediaAt("image", url)];
  return [otherPart(textIn(fields["type"]) ?? "content", jsonText(value))];
}

/** Reads a tool result, which consists of texts or documents. */
function toolPart(fields: Fields): ConversationPart {
  const { content } = fields;
  const texts = listOf(content).map((one) => {
    const part = fieldsOf(one);
    const data = fieldsOf(part["document"])["data"];
    return textIn(part["text"]) ?? textIn(data) ?? (data === undefined ? jsonText(one) : jsonText(data));
  });
  const text = typeof content === "string" ? content : texts.join("\n");
  return resultPart(fields["tool_call_id"], text);
}

/** Lists passages with their sources, which are objects with an ID, or IDs. */
export function citationsPart(
  citations: readonly Fields[],
  member: "sources" | "document_ids",
): ConversationPart {
  const lines = citations.map((one) => {
    const names = listOf(one[member]).map((name) =>
      isFields(name) ? (textIn(name["id"]) ?? "source") : String(name),
    );
    return `${jsonText(one["text"])}: ${names.join(", ")}`;
  });
  return otherPart("citations", lines.join("\n"));
}
