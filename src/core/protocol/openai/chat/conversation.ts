import type { JsonObject } from "../../../json/json-tree.ts";
import { listOf } from "../../reading/lenient.ts";
import type { Conversation } from "../../protocol.ts";
import { valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
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
