import { fieldsOf, jsonText, listOf, textIn } from "../reading/lenient.ts";
import { mediaAt } from "../reading/media.ts";
import {
  functionCallPart,
  otherPart,
  partsOfContent,
  textParts,
  thinkingParts,
  toolResultPart,
} from "../reading/parts.ts";
import type { Message, Part } from "../protocol.ts";

/**
 * A message of DashScope's own API: texts, or a list of parts named by their one member.
 * Source: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  const content = partsOfContent(fields["content"], contentParts);
  if (role === "tool") return { role, parts: [toolResultPart(fields, content, ["tool_call_id", "name"])] };
  const calls = listOf(fields["tool_calls"]).map((call) => functionCallPart(call));
  return { role, parts: [...thinkingParts(fields["reasoning_content"]), ...content, ...calls] };
}

function contentParts(value: unknown): Part[] {
  const fields = fieldsOf(value);
  if (typeof fields["text"] === "string") return textParts(fields["text"]);
  for (const media of ["image", "audio", "video", "file"] as const) {
    const places = Array.isArray(fields[media]) ? listOf(fields[media]) : [fields[media]];
    const urls = places.flatMap((place) => textIn(place) ?? []);
    if (urls.length > 0) return urls.map((url) => mediaAt(media, url));
  }
  const [kind = "content"] = Object.keys(fields);
  return [otherPart(textIn(fields["type"]) ?? kind, jsonText(value))];
}
