import type { JsonObject } from "../../wire/json-tree.ts";
import { listOf } from "../lenient.ts";
import type { Conversation } from "../protocol.ts";
import { valueAt } from "../request.ts";
import { settingsOf } from "../settings.ts";
import { contentParts, messageFrom } from "./blocks.ts";

/** Members that the conversation and the facts show by themselves. */
const SHOWN = ["model", "messages", "system", "stream"];

export function conversationFrom(body: JsonObject): Conversation {
  const system = contentParts(valueAt(body, "system"));
  const messages = listOf(valueAt(body, "messages"));
  return {
    messages: [
      ...(system.length > 0 ? [{ role: "system", parts: system }] : []),
      ...messages.map((message) => messageFrom(message, "message")),
    ],
    settings: settingsOf(body, SHOWN),
  };
}
