import { isJsonArray, member, type JsonObject } from "../../../json/json-tree.ts";
import { plainJson } from "../../../json/json-write.ts";
import { fieldsOf, listOf } from "../../reading/lenient.ts";
import type { Conversation, Message, RequestFacts } from "../../protocol.ts";
import { counted, factsWith, shortLabel, textsAmong, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { contentParts } from "./content.ts";
import { itemMessage } from "./items.ts";

/** Members that the conversation and the facts show by themselves. */
const SHOWN = ["model", "input", "instructions", "stream"];

/** Instructions first, then the input: a text, or items. Items without a role belong to the assistant's turn. */
export function conversationFrom(body: JsonObject): Conversation {
  const instructions = contentParts(valueAt(body, "instructions"));
  return {
    messages: [
      ...(instructions.length > 0 ? [{ role: "system", parts: instructions }] : []),
      ...inputMessages(valueAt(body, "input")),
    ],
    settings: settingsOf(body, SHOWN),
  };
}

export function inputMessages(input: unknown): Message[] {
  return typeof input === "string" ? [itemMessage(input)] : listOf(input).map(itemMessage);
}

/** From the end, so that a long conversation is not read to its beginning. */
export function responseFacts(body: JsonObject): RequestFacts {
  const input = member(body, "input");
  if (typeof input === "string" && input.trim() !== "") return factsWith(body, shortLabel(input));
  const items = input !== undefined && isJsonArray(input) ? input : [];
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = plainJson(items[at] ?? null);
    if (fieldsOf(item)["role"] !== "user") continue;
    const text = textsAmong(itemMessage(item).parts).findLast((one) => one.trim() !== "");
    if (text !== undefined) return factsWith(body, shortLabel(text));
  }
  return factsWith(body, items.length > 0 ? `response to ${counted(items.length, "item")}` : "response");
}
