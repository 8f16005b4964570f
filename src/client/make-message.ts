import { isFields, present } from "../core/protocol/reading/lenient.ts";
import { invalid } from "./errors.ts";
import type { Message, Part, ToolResultPart } from "./message.ts";

type Content = string | Part | readonly Part[];

export const system = (content: Content): Message => ({ role: "system", parts: partsOf(content) });
export const user = (content: Content): Message => ({ role: "user", parts: partsOf(content) });
export const assistant = (content: Content): Message => ({ role: "assistant", parts: partsOf(content) });

/** The result of one tool call as a message of its own. */
export function toolResult(callId: string, content: ToolResultPart["content"], name?: string): Message {
  const result: ToolResultPart = present({ type: "tool-result", callId, content, name });
  return { role: "tool", parts: [result] };
}

function partsOf(content: Content): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return [...(content as readonly Part[])];
  if (isFields(content) && "type" in content) return [content as Part];
  throw invalid("content", "a text, a part or a list of parts is expected");
}
