import { isJsonObject, member, type JsonObject, type JsonTree } from "../../../json/json-tree.ts";
import { chatReading } from "../../operation.ts";
import type { Conversation, Message } from "../../protocol.ts";
import { messageOf } from "../../reading/parts.ts";
import { itemsAt, valueAt } from "../../reading/request.ts";
import { describedTool, settingsOf } from "../../reading/settings.ts";
import { contentParts, messageFrom } from "./message.ts";

/** Also of an invoke with messages: Nova's have the same members. */
export function messagesOf(body: JsonObject): Message[] {
  return [
    ...messageOf("system", contentParts(valueAt(body, "system"))),
    ...chatReading(messageFrom).messages(body),
  ];
}

const SHOWN = ["messages", "system", "inferenceConfig", "toolConfig", "anthropic_version", "schemaVersion"];

export function settingsIn(body: JsonObject): Conversation["settings"] {
  const config = member(body, "toolConfig");
  const tools = itemsAt(config, "tools").flatMap((tool) => toolWords(tool) ?? []);
  return [
    ...settingsOf(member(body, "inferenceConfig")),
    ...(tools.length === 0 ? [] : [["tools", tools.join(", ")] as const]),
    ...settingsOf(config, ["tools"]),
    ...settingsOf(body, SHOWN),
  ];
}

/** A place where the prompt may be cached is no tool. */
function toolWords(tool: JsonTree): string | undefined {
  const spec = member(tool, "toolSpec");
  if (spec !== undefined)
    return describedTool(member(spec, "name"), member(member(spec, "inputSchema"), "json"));
  const [first] = isJsonObject(tool) ? tool.members : [];
  return first === undefined || first[0] === "cachePoint" ? undefined : first[0];
}
