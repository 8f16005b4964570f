import type { JsonObject } from "../../wire/json-tree.ts";
import { listOf } from "../lenient.ts";
import type { Conversation } from "../protocol.ts";
import { valueAt } from "../request.ts";
import { settingsOf } from "../settings.ts";
import { messageFrom } from "./message.ts";

/** Members that the conversation and the facts show by themselves. */
const SHOWN = ["model", "messages", "stream"];

export function conversationFrom(body: JsonObject): Conversation {
  const messages = listOf(valueAt(body, "messages"));
  return {
    messages: messages.map((message) => messageFrom(message, "message")),
    settings: settingsOf(body, SHOWN),
  };
}
