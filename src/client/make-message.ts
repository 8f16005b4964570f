import { isFields } from "../core/base/lenient.ts";
import { invalid } from "./errors.ts";
import type { Message, Part, ToolResultPart } from "./message.ts";
import { pickDefined } from "../core/base/pick-defined.ts";

type Content = string | Part | readonly Part[];

export const system = (content: Content): Message => ({ role: "system", parts: contentParts(content) });
export const user = (content: Content): Message => ({ role: "user", parts: contentParts(content) });
export const assistant = (content: Content): Message => ({ role: "assistant", parts: contentParts(content) });

/** Makes a message with the result of one tool call. */
export function toolResult(callId: string, content: ToolResultPart["content"], name?: string): Message {
  const result: ToolResultPart = pickDefined({ type: "tool-result", callId, content, name });
  return { role: "tool", parts: [result] };
}

function contentParts(content: Content): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return [...(content as readonly Part[])];
  if (isFields(content) && "type" in content) return [content as Part];
  throw invalid("content", "a text, a part or a list of parts is expected");
}
