import {
  isJsonArray,
  isJsonObject,
  member,
  type JsonObject,
  type JsonTree,
} from "../../../json/json-tree.ts";
import { listOf } from "../../reading/lenient.ts";
import type { Conversation, Message } from "../../protocol.ts";
import { itemsAt, valueAt } from "../../reading/request.ts";
import { describedTool, settingsOf } from "../../reading/settings.ts";
import { messageFrom } from "./content.ts";

const SHOWN = [
  "contents",
  "systemInstruction",
  "system_instruction",
  "generationConfig",
  "generation_config",
  "tools",
  "model",
];

export function messagesOf(body: JsonObject): Message[] {
  const system = valueAt(body, "systemInstruction") ?? valueAt(body, "system_instruction");
  const contents = contentsOf(valueAt(body, "contents"));
  return [
    ...(system === undefined ? [] : [{ ...messageFrom(system, "system"), role: "system" }]),
    ...contents.map((content) => messageFrom(content, "user")),
  ];
}

export function settingsIn(body: JsonObject): Conversation["settings"] {
  const tools = member(body, "tools");
  return [
    ...settingsOf(member(body, "generationConfig") ?? member(body, "generation_config")),
    ...(tools === undefined ? [] : [["tools", toolsWords(tools)] as const]),
    ...settingsOf(body, SHOWN),
  ];
}

/** One content may stand without a list. */
function contentsOf(contents: unknown): readonly unknown[] {
  return Array.isArray(contents) ? listOf(contents) : contents === undefined ? [] : [contents];
}

/** Functions as they would be called, Google's own tools by their names. */
function toolsWords(tools: JsonTree): string {
  const list = isJsonArray(tools) ? tools : [tools];
  const words = list.flatMap((tool) => {
    const declared = [...itemsAt(tool, "functionDeclarations"), ...itemsAt(tool, "function_declarations")];
    const others = isJsonObject(tool) ? tool.members : [];
    return [
      ...declared.map(functionWords),
      ...others.map(([name]) => name).filter((name) => !/^function_?declarations$/i.test(name)),
    ];
  });
  return words.length === 0 ? "none" : words.join(", ");
}

function functionWords(declared: JsonTree): string {
  const schema = member(declared, "parameters") ?? member(declared, "parametersJsonSchema");
  return describedTool(member(declared, "name"), schema);
}
