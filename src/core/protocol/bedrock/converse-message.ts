import { localize } from "../../base/localize.ts";
import { readFields, stringifyJson, readText, type Fields } from "../../base/lenient.ts";
import { createMedia, createNamedMedia } from "../base/media.ts";
import {
  createCallPart,
  createOtherPart,
  readContentParts,
  createResultPart,
  createTextPart,
  createTextParts,
  createThinkingParts,
  createReadersByType,
  createMessages,
} from "../base/parts.ts";
import type { ConversationMessage, ConversationPart, Conversation } from "../base/protocol.ts";
import { isJsonObject, getMember, type JsonObject, type JsonTree } from "../../base/json/json-tree.ts";
import { createChatReaders, getItems, getValue } from "../base/operation.ts";
import { describeNamedTool, listSettings } from "../base/settings.ts";

/**
 * Reads a message of Bedrock's converse. The single member of a block is its kind.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html, 2026-11.
 */
export function readConverseMessage(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const parts = readConverseContent(fields["content"]);
  const role = readText(fields["role"]) ?? defaultRole;
  const results = parts.filter(({ type }) => type === "tool-result");
  return { role: results.length > 0 && results.length === parts.length ? "tool" : role, parts };
}

export const readConverseContent = (content: unknown): ConversationPart[] =>
  readContentParts(content, readBlockParts);

export function readBlockParts(value: unknown): ConversationPart[] {
  const fields = readFields(value);
  if (typeof fields["text"] === "string") return createTextParts(fields["text"]);
  const name = Object.keys(fields).find((key) => BLOCKS.has(key));
  const read = name === undefined ? undefined : BLOCKS.get(name)?.(readFields(fields[name]));
  if (read !== undefined) return read;
  // A cache point has no content.
  if (fields["cachePoint"] !== undefined) return [];
  const kind = readText(fields["type"]) ?? Object.keys(fields)[0] ?? "content";
  return [createOtherPart(kind, stringifyJson(value))];
}

/** Readers of blocks by their member; they return undefined for a value that does not match its name. */
const BLOCKS = createReadersByType<ConversationPart[]>({
  reasoningContent: reasoningParts,
  toolUse: ({ toolUseId, name, input }) => [createCallPart(toolUseId, name, input ?? {})],
  toolResult: resultParts,
  image: (inner) => mediaParts("image", inner),
  video: (inner) => mediaParts("video", inner),
  audio: (inner) => mediaParts("audio", inner),
  document: (inner) => mediaParts("file", inner),
  guardContent: (inner) => {
    const { text } = readFields(inner["text"]);
    return typeof text === "string" ? [createTextPart(text)] : undefined;
  },
  citationsContent: (inner) => readConverseContent(inner["content"]),
  searchResult: (inner) => readConverseContent(inner["content"]),
  json: (inner) => [createTextPart(stringifyJson(inner))],
});

function reasoningParts(inner: Fields): ConversationPart[] | undefined {
  const text = readFields(inner["reasoningText"])["text"];
  if (typeof text === "string") return createThinkingParts(text);
  return inner["redactedContent"] === undefined
    ? undefined
    : [createOtherPart(localize("redacted thinking"), "")];
}

/** Reads the result of a tool; its images and files follow its text. */
function resultParts(inner: Fields): ConversationPart[] {
  const parts = readConverseContent(inner["content"]);
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  const text = `${inner["status"] === "error" ? "error: " : ""}${texts.join("\n")}`;
  return [createResultPart(inner["toolUseId"], text), ...parts.filter(({ type }) => type === "media")];
}

function mediaParts(
  media: "image" | "video" | "audio" | "file",
  inner: Fields,
): ConversationPart[] | undefined {
  const source = readFields(inner["source"]);
  const format = readText(inner["format"]) ?? "";
  const name = readText(inner["name"]);
  const bytes = readText(source["bytes"]);
  const place = readText(readFields(source["s3Location"])["uri"]);
  const type = `${media === "file" ? "application" : media}/${format}`;
  if (bytes !== undefined) return [createMedia(media, type, bytes, name)];
  if (place !== undefined) return [createNamedMedia(media, name === undefined ? place : `${name}, ${place}`)];
  return source["content"] === undefined && source["text"] === undefined
    ? undefined
    : [createOtherPart(name ?? "document", readText(source["text"]) ?? stringifyJson(source))];
}

/** Reads the messages of a converse or of an invoke of Nova, which has the same members. */
export function readConverseMessages(body: JsonObject): ConversationMessage[] {
  return [
    ...createMessages("system", readConverseContent(getValue(body, "system"))),
    ...createChatReaders(readConverseMessage).messages(body),
  ];
}

const SHOWN = ["messages", "system", "inferenceConfig", "toolConfig", "anthropic_version", "schemaVersion"];

export function readConverseSettings(body: JsonObject): Conversation["settings"] {
  const config = getMember(body, "toolConfig");
  const tools = getItems(config, "tools").flatMap((tool) => toolWords(tool) ?? []);
  return [
    ...listSettings(getMember(body, "inferenceConfig")),
    ...(tools.length === 0 ? [] : [["tools", tools.join(", ")] as const]),
    ...listSettings(config, ["tools"]),
    ...listSettings(body, SHOWN),
  ];
}

/** Formats a tool. Cache points in the list are not tools. */
function toolWords(tool: JsonTree): string | undefined {
  const spec = getMember(tool, "toolSpec");
  if (spec !== undefined)
    return describeNamedTool(getMember(spec, "name"), getMember(getMember(spec, "inputSchema"), "json"));
  const [first] = isJsonObject(tool) ? tool.members : [];
  return first === undefined || first[0] === "cachePoint" ? undefined : first[0];
}
