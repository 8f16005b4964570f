import type { JsonObject } from "../../../json/json-tree.ts";
import { linesOf } from "../../composed.ts";
import { fieldsOf, listOf, type Fields } from "../../reading/lenient.ts";
import { composeOllama, ollamaSettings, streams } from "../request.ts";
import { ollamaStream, projectOllama, writtenOn } from "../reply.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { chatBody, chatFacts, textsAmong, valueAt } from "../../reading/request.ts";
import { messageFrom } from "./message.ts";

/** Ollama's own chat. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaChat: Protocol = {
  operation: "chat",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/api/chat"),
  facts: (request) => {
    const body = bodyOf(request);
    const facts = chatFacts(body, (message) => textsAmong(messageFrom(message, "user").parts));
    return { ...facts, streaming: streams(body) };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    const messages = listOf(valueAt(body, "messages")).map((message) => messageFrom(message, "message"));
    return { messages, settings: ollamaSettings(body, ["messages"]) };
  },
  project: (reply) =>
    projectOllama(reply, {
      add: addMessage,
      partsOf: ({ message }) => [...messageFrom(message, "assistant").parts],
    }),
  stream: ollamaStream,
  compose: (draft, request) => {
    const says = (content: string): object => ({ message: { role: "assistant", content } });
    return composeOllama(bodyOf(request), linesOf(draft.text), says);
  },
  isWhole: isWholeJson,
};

/** Texts are written on, calls come one after the other. */
function addMessage(open: Fields, chunk: Fields): Fields {
  const before = fieldsOf(open["message"]);
  const more = fieldsOf(chunk["message"]);
  const calls = [...listOf(before["tool_calls"]), ...listOf(more["tool_calls"])];
  return {
    message: {
      ...before,
      ...more,
      ...writtenOn(before, more, ["content", "thinking"]),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  };
}

function bodyOf(request: ProtocolRequest): JsonObject {
  return chatBody(request, { operation: "A chat", model: true });
}
