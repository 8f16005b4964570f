import { fieldsOf, jsonText, listOf, textIn } from "../../reading/lenient.ts";
import { partsOfContent } from "../../reading/content.ts";
import { mediaAt } from "../../reading/media.ts";
import type { Message, Part } from "../../protocol.ts";
import { functionCallPart, toolResultPart } from "../../reading/called.ts";

/**
 * A message of DashScope's own API: texts, or a list of parts named by their one member.
 * Source: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  const content = partsOfContent(fields["content"], contentPart);
  if (role === "tool") return { role, parts: [toolResultPart(fields, content, ["tool_call_id", "name"])] };
  const thinking = textIn(fields["reasoning_content"]);
  return {
    role,
    parts: [
      ...(thinking === undefined ? [] : [{ type: "thinking", text: thinking } as const]),
      ...content,
      ...listOf(fields["tool_calls"]).map((call) => functionCallPart(call)),
    ],
  };
}

function contentPart(value: unknown): Part[] {
  const fields = fieldsOf(value);
  if (typeof fields["text"] === "string")
    return fields["text"] === "" ? [] : [{ type: "text", text: fields["text"] }];
  for (const media of ["image", "audio", "video", "file"] as const) {
    const places = Array.isArray(fields[media]) ? listOf(fields[media]) : [fields[media]];
    const urls = places.flatMap((place) => textIn(place) ?? []);
    if (urls.length > 0) return urls.map((url) => mediaAt(media, url));
  }
  const [kind = "content"] = Object.keys(fields);
  return [{ type: "other", description: textIn(fields["type"]) ?? kind, text: jsonText(value) }];
}
