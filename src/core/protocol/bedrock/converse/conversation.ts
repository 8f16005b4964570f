import {
  isJsonArray,
  isJsonObject,
  member,
  type JsonObject,
  type JsonTree,
} from "../../../json/json-tree.ts";
import { listOf } from "../../reading/lenient.ts";
import type { Conversation } from "../../protocol.ts";
import { valueAt } from "../../reading/request.ts";
import { settingsOf, toolWords } from "../../reading/settings.ts";
import { contentParts, messageFrom } from "./message.ts";

const SHOWN = ["messages", "system", "inferenceConfig", "toolConfig", "anthropic_version", "schemaVersion"];

/** Also of an invoke with messages: Nova's have the same members. */
export function conversationFrom(body: JsonObject): Conversation {
  const system = contentParts(valueAt(body, "system"));
  const messages = listOf(valueAt(body, "messages"));
  const config = member(body, "inferenceConfig");
  const tools = member(body, "toolConfig");
  return {
    messages: [
      ...(system.length > 0 ? [{ role: "system", parts: system }] : []),
      ...messages.map((message) => messageFrom(message, "message")),
    ],
    settings: [
      ...(config !== undefined && isJsonObject(config) ? settingsOf(config, []) : []),
      ...(tools === undefined ? [] : toolSettings(tools)),
      ...settingsOf(body, SHOWN),
    ],
  };
}

function toolSettings(config: JsonTree): Conversation["settings"] {
  if (!isObject(config)) return [];
  const tools = member(config, "tools");
  const list = tools !== undefined && isJsonArray(tools) ? tools.map(specWords) : [];
  const words = list.filter((text) => text !== undefined).join(", ");
  return [...(words === "" ? [] : [["tools", words] as const]), ...settingsOf(config, ["tools"])];
}

/** A place where the prompt may be cached is no tool. */
function specWords(tool: JsonTree): string | undefined {
  const spec = member(tool, "toolSpec");
  if (spec === undefined) {
    const [first] = isObject(tool) ? tool.members : [];
    return first === undefined || first[0] === "cachePoint" ? undefined : first[0];
  }
  const schema = member(member(spec, "inputSchema"), "json");
  const name = member(spec, "name") ?? "";
  return toolWords({
    members: [["name", name], ...(schema === undefined ? [] : [["parameters", schema] as const])],
  });
}

function isObject(tree: JsonTree): tree is JsonObject {
  return typeof tree === "object" && tree !== null && isJsonObject(tree);
}
