import { chatReading, operationFrom, objectWith } from "../base/operation.ts";
import { argumentsOf } from "../base/composed.ts";
import type { ConversationMessage, Protocol, ReplyDraft } from "../base/protocol.ts";
import { readFields, readList, readText } from "../../base/lenient.ts";
import { functionCallPart, partsOfContent, thinkingParts, toolResultPart } from "../base/parts.ts";
import { streamRules } from "../base/events.ts";
import {
  contentPart,
  ollamaComposer,
  ollamaFacts,
  ollamaFamily,
  ollamaSettings,
  pictureParts,
} from "./own-api.ts";

const CHAT = chatReading(messageFrom);

export const OLLAMA_FAMILY = ollamaFamily((chunk) => readFields(chunk["message"]));

/** Ollama's own chat. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaChat: Protocol = operationFrom({
  operation: "chat",
  path: "/api/chat",
  body: objectWith("A chat", "model", "messages"),
  ...CHAT,
  facts: (body) => ollamaFacts(body, CHAT.facts(body).label),
  settings: ollamaSettings("messages"),
  family: OLLAMA_FAMILY,
  stream: streamRules(OLLAMA_FAMILY),
  compose: ollamaComposer((content, draft) => ({
    message: { role: "assistant", content, ...(draft && callsOf(draft)) },
  })),
  composesToolCalls: true,
});

function callsOf({ toolCalls = [] }: ReplyDraft): object {
  const tool_calls = toolCalls.map((call) => ({
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  return tool_calls.length > 0 ? { tool_calls } : {};
}

/** Reads a message: text, images as base64 without a type, and calls with arguments as values. */
function messageFrom(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const role = readText(fields["role"]) ?? defaultRole;
  const content = partsOfContent(fields["content"], contentPart);
  if (role === "tool")
    return { role, parts: [toolResultPart(fields, content, ["tool_call_id", "tool_name", "name"])] };
  return {
    role,
    parts: [
      ...thinkingParts(fields["thinking"]),
      ...content,
      ...pictureParts(fields["images"]),
      ...readList(fields["tool_calls"]).map((call) => functionCallPart(call, "{}")),
    ],
  };
}
