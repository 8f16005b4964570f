import { fieldsOf, jsonText, listOf, textIn } from "../lenient.ts";
import { mediaFrom } from "../media.ts";
import type { Message, Part } from "../protocol.ts";

/** A message of Ollama: texts, pictures as base64 without a type, and calls whose arguments are values. */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  const content = contentParts(fields["content"]);
  if (role === "tool") return { role, parts: [resultPart(fields, content)] };
  const thinking = textIn(fields["thinking"]);
  return {
    role,
    parts: [
      ...(thinking === undefined ? [] : [{ type: "thinking", text: thinking } as const]),
      ...content,
      ...pictureParts(fields["images"]),
      ...listOf(fields["tool_calls"]).map(callPart),
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

function contentParts(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content).map((part) => {
    const fields = fieldsOf(part);
    const text = fields["type"] === "text" || typeof part === "string" ? (fields["text"] ?? part) : undefined;
    return typeof text === "string"
      ? { type: "text", text }
      : { type: "other", description: textIn(fields["type"]) ?? "content", text: jsonText(part) };
  });
}

function resultPart(fields: ReturnType<typeof fieldsOf>, content: readonly Part[]): Part {
  const id = textIn(fields["tool_call_id"]) ?? textIn(fields["tool_name"]) ?? textIn(fields["name"]);
  const text = content.map((part) => ("text" in part ? part.text : "")).join("");
  return { type: "tool-result", ...(id !== undefined && { id }), text };
}

function callPart(value: unknown): Part {
  const call = fieldsOf(value);
  const called = fieldsOf(call["function"]);
  const id = textIn(call["id"]);
  const given = called["arguments"] ?? {};
  return {
    type: "tool-call",
    ...(id !== undefined && { id }),
    name: textIn(called["name"]) ?? "",
    arguments: typeof given === "string" ? given : jsonText(given),
  };
}
