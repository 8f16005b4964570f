import { chatReading, operationFrom } from "../operation.ts";
import { argumentsOf } from "../composed.ts";
import type { Message, Part, Protocol, ReplyDraft } from "../protocol.ts";
import { fieldsOf, jsonText, listOf, textIn, type Fields } from "../reading/lenient.ts";
import { mediaFrom } from "../reading/media.ts";
import {
  functionCallPart,
  otherPart,
  partsOfContent,
  textPart,
  thinkingParts,
  toolResultPart,
} from "../reading/parts.ts";
import { objectWith } from "../reading/request.ts";
import {
  ollamaComposer,
  ollamaFacts,
  ollamaReader,
  ollamaSettings,
  ollamaStream,
  writtenOn,
} from "./own-api.ts";

const CHAT = chatReading(messageFrom);

/** Ollama's own chat. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaChat: Protocol = operationFrom({
  operation: "chat",
  path: "/api/chat",
  body: objectWith("A chat", "model", "messages"),
  ...CHAT,
  facts: (body) => ollamaFacts(body, CHAT.facts(body).label),
  settings: ollamaSettings("messages"),
  project: ollamaReader({
    add: addMessage,
    partsOf: ({ message }) => [...messageFrom(message, "assistant").parts],
  }),
  stream: ollamaStream,
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

/** Texts are written on, calls come one after the other. */
function addMessage(open: Fields, chunk: Fields): Fields {
  const before = fieldsOf(open["message"]);
  const more = fieldsOf(chunk["message"]);
  const tool_calls = [...listOf(before["tool_calls"]), ...listOf(more["tool_calls"])];
  return { message: { ...before, ...more, ...writtenOn(before, more, ["content", "thinking"]), tool_calls } };
}

/** A message of Ollama: texts, pictures as base64 without a type, and calls whose arguments are values. */
function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  const content = partsOfContent(fields["content"], contentPart);
  if (role === "tool")
    return { role, parts: [toolResultPart(fields, content, ["tool_call_id", "tool_name", "name"])] };
  return {
    role,
    parts: [
      ...thinkingParts(fields["thinking"]),
      ...content,
      ...pictureParts(fields["images"]),
      ...listOf(fields["tool_calls"]).map((call) => functionCallPart(call, "{}")),
    ],
  };
}

/** Pictures as they stand in a request: base64, of any format. */
export function pictureParts(images: unknown): Part[] {
  return listOf(images).map((image) =>
    typeof image === "string" ? mediaFrom("image", "image", image) : otherPart("image", jsonText(image)),
  );
}

function contentPart(part: unknown): Part {
  const { type, text } = fieldsOf(part);
  return type === "text" && typeof text === "string"
    ? textPart(text)
    : otherPart(textIn(type) ?? "content", jsonText(part));
}
