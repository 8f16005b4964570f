import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { chatBody, chatFacts, textsAmong } from "../../reading/request.ts";
import type { JsonObject } from "../../../json/json-tree.ts";
import { textOf } from "../../../wire/text.ts";
import { composeChat } from "./compose.ts";
import { conversationFrom } from "./conversation.ts";
import { messageFrom } from "./message.ts";
import { projectChat } from "./project.ts";
import { errorIn, givenUpText, openaiChatStream, openaiChatStreamByReason } from "./stream.ts";

/**
 * OpenAI chat completions, and everything that speaks like them.
 * The path's end counts, because compatible providers put it under prefixes of their own.
 * Source: platform.openai.com/docs/api-reference/chat, 2026-11.
 */
export const openaiChat: Protocol = {
  operation: "chat.completions",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/chat/completions"),
  facts: (request) => chatFacts(bodyOf(request), (message) => textsAmong(messageFrom(message, "user").parts)),
  conversation: (request) => conversationFrom(bodyOf(request)),
  project: projectChat,
  stream: openaiChatStream,
  compose: (draft, request) => composeChat(draft, bodyOf(request)),
  isWhole: (body) =>
    isWholeJson(body) && errorIn(textOf(body)) === undefined && givenUpText(body) === undefined,
  unfinished: givenUpText,
};

/** The same for providers that may leave the end mark of a stream out. */
export const openaiChatWithoutMark: Protocol = { ...openaiChat, stream: openaiChatStreamByReason };

/** Azure names the model in the path: `/openai/deployments/NAME/chat/completions`. */
function bodyOf(request: ProtocolRequest): JsonObject {
  const model = !request.path.includes("/deployments/");
  return chatBody(request, { operation: "A chat completion", model });
}
