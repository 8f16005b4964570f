import { fieldsOf, jsonText, listOf, textIn, type Fields } from "../../base/lenient.ts";
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
 * A message of Cohere's chat: its plan for tools is thinking. Source: docs.cohere.com/reference/chat, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): ConversationMessage {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  if (role === "tool") return { role, parts: [toolPart(fields)] };
  return {
    role,
    parts: [
      ...thinkingParts(fields["tool_plan"]),
      ...partsOfContent(fields["content"], contentPart),
      ...listOf(fields["tool_calls"]).map((call) => functionCallPart(call)),
      ...citationParts(fields["citations"]),
    ],
  };
}

function contentPart(value: unknown): ConversationPart[] {
  const fields = fieldsOf(value);
  const { text, thinking } = fields;
  if (fields["type"] === "text" && typeof text === "string") return textParts(text);
  if (fields["type"] === "thinking" && typeof thinking === "string") return thinkingParts(thinking);
  const url = textIn(fieldsOf(fields["image_url"])["url"]);
  if (url !== undefined) return [mediaAt("image", url)];
  return [otherPart(textIn(fields["type"]) ?? "content", jsonText(value))];
}

/** Results are texts or documents. */
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

function citationParts(citations: unknown): ConversationPart[] {
  const cited = listOf(citations).map((one) => {
    const { text, sources } = fieldsOf(one);
    const names = listOf(sources).map((source) => textIn(fieldsOf(source)["id"]) ?? "source");
    return `${jsonText(text)}: ${names.join(", ")}`;
  });
  return cited.length === 0 ? [] : [otherPart("citations", cited.join("\n"))];
}
