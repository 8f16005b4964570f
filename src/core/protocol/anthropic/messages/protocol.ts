import type { JsonObject } from "../../../json/json-tree.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { chatBody, chatFacts, textsAmong } from "../../reading/request.ts";
import { messageFrom } from "./blocks.ts";
import { composeMessage } from "./compose.ts";
import { conversationFrom } from "./conversation.ts";
import { projectMessage } from "./project.ts";
import { anthropicMessageStream } from "./stream.ts";

/** Anthropic messages. Source: docs.anthropic.com/en/api/messages, 2026-11. */
export const anthropicMessages: Protocol = {
  operation: "messages",
  // @ai-sdk/anthropic takes the version for a part of the base address.
  accepts: (method, pathname) =>
    method === "POST" && (pathname.endsWith("/v1/messages") || pathname === "/messages"),
  facts: (request) => chatFacts(bodyOf(request), (message) => textsAmong(messageFrom(message, "user").parts)),
  conversation: (request) => conversationFrom(bodyOf(request)),
  project: projectMessage,
  stream: anthropicMessageStream,
  compose: (draft, request) => composeMessage(draft, bodyOf(request)),
  isWhole: isWholeJson,
};

function bodyOf(request: ProtocolRequest): JsonObject {
  return chatBody(request, { operation: "A message", model: true });
}
