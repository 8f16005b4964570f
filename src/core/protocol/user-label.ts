import { isJsonArray, type JsonTree } from "../json/json-tree.ts";
import { plainJson } from "../json/json-write.ts";
import type { Message } from "./protocol.ts";
import { counted, shortLabel, textsAmong } from "./reading/request.ts";

/**
 * The label of a conversation: the last text that a user wrote. Read from the end, so that a long conversation is
 * not read to its beginning.
 */
export function userLabel(messages: JsonTree | undefined, read: (message: unknown) => Message): string {
  const list = messages !== undefined && isJsonArray(messages) ? messages : [];
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const { role, parts } = read(plainJson(list[at] ?? null));
    const text = role === "user" ? textsAmong(parts).findLast((one) => one.trim() !== "") : undefined;
    if (text !== undefined) return shortLabel(text);
  }
  return `chat with ${counted(list.length, "message")}`;
}
