import { createChatReaders, createOperation, createObjectReader } from "../base/operation.ts";
import { composeArguments } from "../base/composed.ts";
import type { ConversationMessage, Protocol, ReplyDraft } from "../base/protocol.ts";
import { readFields, readList, readText } from "../../base/lenient.ts";
import {
  createFunctionCallPart,
  readContentParts,
  createThinkingParts,
  createToolResultPart,
} from "../base/parts.ts";
import { createStreamRules } from "../base/events.ts";
import {
  readOllamaPart,
  createOllamaComposer,
  createOllamaFacts,
  createOllamaFamily,
  createOllamaSettings,
  readPictureParts,
} from "./own-api.ts";

const CHAT = createChatReaders(messageFrom);

export const OLLAMA_FAMILY = createOllamaFamily((chunk) => readFields(chunk["message"]));

/** Ollama's own chat. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaChat: Protocol = createOperation({
  operation: "chat",
  path: "/api/chat",
  body: createObjectReader("A chat", "model", "messages"),
  ...CHAT,
  facts: (body) => createOllamaFacts(body, CHAT.facts(body).label),
  settings: createOllamaSettings("messages"),
  family: OLLAMA_FAMILY,
  stream: createStreamRules(OLLAMA_FAMILY),
  compose: createOllamaComposer((content, draft) => ({
    message: { role: "assistant", content, ...(draft && callsOf(draft)) },
  })),
  composesToolCalls: true,
});

function callsOf({ toolCalls = [] }: ReplyDraft): object {
  const tool_calls = toolCalls.map((call) => ({
    function: { name: call.name, arguments: composeArguments(call) },
  }));
  return tool_calls.length > 0 ? { tool_calls } : {};
}

/** Reads a message: text, images as base64 without a type, and calls with arguments as values. */
function messageFrom(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const role = readText(fields["role"]) ?? defaultRole;
  const content = readContentParts(fields["content"], readOllamaPart);
  if (role === "tool")
    return { role, parts: [createToolResultPart(fields, content, ["tool_call_id", "tool_name", "name"])] };
  return {
    role,
    parts: [
      ...createThinkingParts(fields["thinking"]),
      ...content,
      ...readPictureParts(fields["images"]),
      ...readList(fields["tool_calls"]).map((call) => createFunctionCallPart(call, "{}")),
    ],
  };
}
