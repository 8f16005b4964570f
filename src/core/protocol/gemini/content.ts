import { readFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import { createMediaAt, createMedia, getMediaKind } from "../base/media.ts";
import { createCallPart, createOtherPart, createResultPart, createTextPart } from "../base/parts.ts";
import type { ConversationMessage, ConversationPart, Conversation } from "../base/protocol.ts";
import {
  isJsonArray,
  isJsonObject,
  getMember,
  type JsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import { getItems, getValue } from "../base/operation.ts";
import { describeNamedTool, listSettings } from "../base/settings.ts";

/**
 * Reads a content of a request or a reply. The API accepts names in camel case and in snake case.
 * Source: ai.google.dev/api/caching#Content, 2026-11; `toolCall` and `toolResponse` are those of Google's own tools.
 */
export function readGeminiMessage(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const written = typeof value === "string" ? [{ text: value }] : fields["parts"];
  const list = Array.isArray(written) ? readList(written) : written === undefined ? [] : [written];
  const parts = list.flatMap(readGeminiPart);
  const role = readText(fields["role"]) ?? defaultRole;
  return { role: roleOf(role, parts), parts };
}

/** Returns the neutral role. Tool results have the role of the user on the wire. */
function roleOf(role: string, parts: readonly ConversationPart[]): string {
  if (role === "model") return "assistant";
  const results = parts.filter(({ type }) => type === "tool-result");
  return role === "function" || (results.length > 0 && results.length === parts.length) ? "tool" : role;
}

export function readGeminiPart(value: unknown): ConversationPart[] {
  if (typeof value === "string") return [createTextPart(value)];
  const fields = readFields(value);
  const { text } = fields;
  if (typeof text === "string") {
    if (text === "") return [];
    return [{ type: fields["thought"] === true ? "thinking" : "text", text }];
  }
  for (const [name, read] of READERS) {
    const inner = fields[name] ?? fields[snakeCase(name)];
    const part = inner === undefined ? undefined : read(readFields(inner));
    if (part !== undefined) return [part];
  }
  const [name = "content"] = Object.keys(fields);
  // A part with only a signature belongs to hidden thoughts.
  return name === "thoughtSignature" ? [] : [createOtherPart(name, stringifyJson(value))];
}

/** Readers of parts by their member; they return undefined for a value that does not match its name. */
const READERS: readonly (readonly [name: string, read: (inner: Fields) => ConversationPart | undefined])[] = [
  ["inlineData", inlinePart],
  ["fileData", filePart],
  ["functionCall", ({ id, name, args }) => createCallPart(id, name, args ?? {})],
  ["functionResponse", givenBack],
  ["toolCall", ({ id, toolType, args }) => createCallPart(id, readText(toolType) ?? "tool", args ?? {})],
  ["toolResponse", givenBack],
  ["executableCode", codePart],
  ["codeExecutionResult", outputPart],
];

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function inlinePart(inner: Fields): ConversationPart | undefined {
  const data = readText(inner["data"]);
  const type = readText(inner["mimeType"]) ?? readText(inner["mime_type"]) ?? "file";
  return data === undefined ? undefined : createMedia(getMediaKind(type), type, data);
}

function filePart(inner: Fields): ConversationPart | undefined {
  const url = readText(inner["fileUri"]) ?? readText(inner["file_uri"]);
  const type = readText(inner["mimeType"]) ?? readText(inner["mime_type"]);
  return url === undefined ? undefined : createMediaAt(getMediaKind(type ?? ""), url, type);
}

function givenBack({ id, name, response }: Fields): ConversationPart {
  return createResultPart(readText(id) ?? name, stringifyJson(response ?? {}));
}

function codePart(inner: Fields): ConversationPart | undefined {
  const code = readText(inner["code"]);
  return code === undefined ? undefined : createCallPart(undefined, "code_execution", { code });
}

function outputPart(inner: Fields): ConversationPart {
  const outcome = readText(inner["outcome"]) ?? "";
  const output = readText(inner["output"]) ?? "";
  const failed = outcome !== "" && outcome !== "OUTCOME_OK";
  return createResultPart(undefined, failed ? `${outcome}: ${output}` : output);
}

const SHOWN = [
  "contents",
  "systemInstruction",
  "system_instruction",
  "generationConfig",
  "generation_config",
  "tools",
  "model",
];

export function readGeminiMessages(body: JsonObject): ConversationMessage[] {
  const system = getValue(body, "systemInstruction") ?? getValue(body, "system_instruction");
  const contents = contentsOf(getValue(body, "contents"));
  return [
    ...(system === undefined ? [] : [{ ...readGeminiMessage(system, "system"), role: "system" }]),
    ...contents.map((content) => readGeminiMessage(content, "user")),
  ];
}

export function readGeminiSettings(body: JsonObject): Conversation["settings"] {
  const tools = getMember(body, "tools");
  return [
    ...listSettings(getMember(body, "generationConfig") ?? getMember(body, "generation_config")),
    ...(tools === undefined ? [] : [["tools", toolsWords(tools)] as const]),
    ...listSettings(body, SHOWN),
  ];
}

/** Returns the contents as a list. A single one can be sent without a list. */
function contentsOf(contents: unknown): readonly unknown[] {
  return Array.isArray(contents) ? readList(contents) : contents === undefined ? [] : [contents];
}

/** Formats functions like calls, and Google's own tools by their names. */
function toolsWords(tools: JsonTree): string {
  const list = isJsonArray(tools) ? tools : [tools];
  const words = list.flatMap((tool) => {
    const declared = [...getItems(tool, "functionDeclarations"), ...getItems(tool, "function_declarations")];
    const others = isJsonObject(tool) ? tool.members : [];
    return [
      ...declared.map(functionWords),
      ...others.map(([name]) => name).filter((name) => !/^function_?declarations$/i.test(name)),
    ];
  });
  return words.length === 0 ? "none" : words.join(", ");
}

function functionWords(declared: JsonTree): string {
  const schema = getMember(declared, "parameters") ?? getMember(declared, "parametersJsonSchema");
  return describeNamedTool(getMember(declared, "name"), schema);
}
