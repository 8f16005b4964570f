import { fieldsOf, jsonText, listOf, textIn } from "../../reading/lenient.ts";
import { messageFrom } from "../../openai/chat/message.ts";
import type { Message, Part } from "../../protocol.ts";

/** A text, or entries of a conversation. */
export function inputMessages(inputs: unknown): Message[] {
  if (typeof inputs === "string")
    return inputs === "" ? [] : [{ role: "user", parts: [{ type: "text", text: inputs }] }];
  return listOf(inputs).map(entryMessage);
}

/** An entry by its type. Source: mistralai/client-python `inputentries.py`, 2026-11. */
export function entryMessage(value: unknown): Message {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "message.input";
  if (type === "function.result") {
    const id = textIn(fields["tool_call_id"]);
    const text = textIn(fields["result"]) ?? "";
    return { role: "tool", parts: [{ type: "tool-result", ...(id !== undefined && { id }), text }] };
  }
  const parts = outputParts(value);
  const role = textIn(fields["role"]) ?? (type === "message.input" ? "user" : "assistant");
  return { role, parts };
}

/** What an entry says or calls. */
export function outputParts(value: unknown): readonly Part[] {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "";
  if (type.startsWith("message.") || (type === "" && "content" in fields))
    return messageFrom({ content: fields["content"] }, "assistant").parts;
  const given = fields["arguments"];
  const called = typeof given === "string" ? given : given === undefined ? "" : jsonText(given);
  if (type === "function.call") {
    const id = textIn(fields["tool_call_id"]);
    const name = textIn(fields["name"]) ?? "";
    return [{ type: "tool-call", ...(id !== undefined && { id }), name, arguments: called }];
  }
  if (type === "tool.execution")
    return [
      { type: "other", description: `executed ${textIn(fields["name"]) ?? "tool"}`, text: called || "done" },
    ];
  return [{ type: "other", description: type || "entry", text: jsonText(value) }];
}
