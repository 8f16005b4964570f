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

export function conversationFrom(body: JsonObject): Conversation {
  const system = valueAt(body, "systemInstruction") ?? valueAt(body, "system_instruction");
  const contents = contentsOf(valueAt(body, "contents"));
  const config = member(body, "generationConfig") ?? member(body, "generation_config");
  const tools = member(body, "tools");
  return {
    messages: [
      ...(system === undefined ? [] : [{ ...messageFrom(system, "system"), role: "system" }]),
      ...contents.map((content) => messageFrom(content, "user")),
    ],
    settings: [
      ...(config !== undefined && isJsonObject(config) ? settingsOf(config, []) : []),
      ...(tools === undefined ? [] : [["tools", toolsWords(tools)] as const]),
      ...settingsOf(body, SHOWN),
    ],
  };
}

/** One content may stand without a list. */
function contentsOf(contents: unknown): readonly unknown[] {
  return Array.isArray(contents) ? listOf(contents) : contents === undefined ? [] : [contents];
}

/** Functions as they would be called, Google's own tools by their names. */
function toolsWords(tools: JsonTree): string {
  const list = isJsonArray(tools) ? tools : [tools];
  const words = list.flatMap((tool) => {
    const declared = member(tool, "functionDeclarations") ?? member(tool, "function_declarations");
    const functions = declared !== undefined && isJsonArray(declared) ? declared.map(functionWords) : [];
    const others = typeof tool === "object" && tool !== null && isJsonObject(tool) ? tool.members : [];
    return [
      ...functions,
      ...others.map(([name]) => name).filter((name) => !/^function_?declarations$/i.test(name)),
    ];
  });
  return words.length === 0 ? "none" : words.join(", ");
}

function functionWords(declared: JsonTree): string {
  const schema = member(declared, "parameters") ?? member(declared, "parametersJsonSchema");
  const name = member(declared, "name") ?? "";
  return toolWords({
    members: [["name", name], ...(schema === undefined ? [] : [["parameters", schema] as const])],
  });
}
