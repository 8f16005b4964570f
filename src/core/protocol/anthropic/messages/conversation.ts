import type { JsonObject } from "../../../json/json-tree.ts";
import { listOf } from "../../reading/lenient.ts";
import type { Conversation } from "../../protocol.ts";
import { valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
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
