import { partsOfContent } from "../../reading/content.ts";
import { fieldsOf, jsonText, listOf, textIn } from "../../reading/lenient.ts";
import { mediaFrom } from "../../reading/media.ts";
import type { Message, Part } from "../../protocol.ts";
import { functionCallPart, toolResultPart } from "../../reading/called.ts";

/** A message of Ollama: texts, pictures as base64 without a type, and calls whose arguments are values. */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  const content = partsOfContent(fields["content"], contentPart);
  if (role === "tool")
    return { role, parts: [toolResultPart(fields, content, ["tool_call_id", "tool_name", "name"])] };
  const thinking = textIn(fields["thinking"]);
  return {
    role,
    parts: [
      ...(thinking === undefined ? [] : [{ type: "thinking", text: thinking } as const]),
      ...content,
      ...pictureParts(fields["images"]),
      ...listOf(fields["tool_calls"]).map((call) => functionCallPart(call, "{}")),
    ],
  };
}

/** Pictures as they stand in a request: base64, of any format. */
export function pictureParts(images: unknown): Part[] {
  return listOf(images).map((image) =>
    typeof image === "string"
      ? mediaFrom("image", "image", image)
      : { type: "other", description: "image", text: jsonText(image) },
  );
}

function contentPart(part: unknown): Part {
  const { type, text } = fieldsOf(part);
  return type === "text" && typeof text === "string"
    ? { type, text }
    : { type: "other", description: textIn(type) ?? "content", text: jsonText(part) };
}
