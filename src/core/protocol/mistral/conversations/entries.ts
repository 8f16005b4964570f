import { fieldsOf, jsonText, listOf, textIn } from "../../reading/lenient.ts";
import { messageFrom } from "../../openai/chat/message.ts";
import { callPart, messageOf, otherPart, resultPart, textParts } from "../../reading/parts.ts";
import type { Message, Part } from "../../protocol.ts";

/** A text, or entries of a conversation. */
export function inputMessages(inputs: unknown): Message[] {
  if (typeof inputs === "string") return messageOf("user", textParts(inputs));
  return listOf(inputs).map(entryMessage);
}

/** An entry by its type. Source: mistralai/client-python `inputentries.py`, 2026-11. */
export function entryMessage(value: unknown): Message {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "message.input";
  if (type === "function.result") {
    const text = textIn(fields["result"]) ?? "";
    return { role: "tool", parts: [resultPart(fields["tool_call_id"], text)] };
  }
  const parts = outputParts(value);
  const role = textIn(fields["role"]) ?? (type === "message.input" ? "user" : "assistant");
  return { role, parts };
}

export function outputParts(value: unknown): readonly Part[] {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "";
  if (type.startsWith("message.") || (type === "" && "content" in fields))
    return messageFrom({ content: fields["content"] }, "assistant").parts;
  const given = fields["arguments"] ?? "";
  if (type === "function.call") return [callPart(fields["tool_call_id"], fields["name"], given)];
  if (type === "tool.execution") {
    const text = typeof given === "string" ? given : jsonText(given);
    return [otherPart(`executed ${textIn(fields["name"]) ?? "tool"}`, text || "done")];
  }
  return [otherPart(type || "entry", jsonText(value))];
}
