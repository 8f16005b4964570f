import { fieldsOf, jsonText, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import { partsOfContent } from "../../reading/content.ts";
import { mediaAt } from "../../reading/media.ts";
import type { Message, Part } from "../../protocol.ts";
import { functionCallPart } from "../../reading/called.ts";

/**
 * A message of Cohere's chat: its plan for tools is thinking. Source: docs.cohere.com/reference/chat, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  if (role === "tool") return { role, parts: [resultPart(fields)] };
  const plan = textIn(fields["tool_plan"]);
  return {
    role,
    parts: [
      ...(plan === undefined ? [] : [{ type: "thinking", text: plan } as const]),
      ...partsOfContent(fields["content"], contentPart),
      ...listOf(fields["tool_calls"]).map((call) => functionCallPart(call)),
      ...citationParts(fields["citations"]),
    ],
  };
}

function contentPart(value: unknown): Part[] {
  const fields = fieldsOf(value);
  const { text, thinking } = fields;
  if (fields["type"] === "text" && typeof text === "string")
    return text === "" ? [] : [{ type: "text", text }];
  if (fields["type"] === "thinking" && typeof thinking === "string")
    return thinking === "" ? [] : [{ type: "thinking", text: thinking }];
  const url = textIn(fieldsOf(fields["image_url"])["url"]);
  if (url !== undefined) return [mediaAt("image", url)];
  return [{ type: "other", description: textIn(fields["type"]) ?? "content", text: jsonText(value) }];
}

/** Results are texts or documents. */
function resultPart(fields: Fields): Part {
  const id = textIn(fields["tool_call_id"]);
  const { content } = fields;
  const texts = listOf(content).map((one) => {
    const part = fieldsOf(one);
    const data = fieldsOf(part["document"])["data"];
    return textIn(part["text"]) ?? textIn(data) ?? (data === undefined ? jsonText(one) : jsonText(data));
  });
  const text = typeof content === "string" ? content : texts.join("\n");
  return { type: "tool-result", ...(id !== undefined && { id }), text };
}

function citationParts(citations: unknown): Part[] {
  const cited = listOf(citations).map((one) => {
    const { text, sources } = fieldsOf(one);
    const names = listOf(sources).map((source) => textIn(fieldsOf(source)["id"]) ?? "source");
    return `${jsonText(text)}: ${names.join(", ")}`;
  });
  return cited.length === 0 ? [] : [{ type: "other", description: "citations", text: cited.join("\n") }];
}
