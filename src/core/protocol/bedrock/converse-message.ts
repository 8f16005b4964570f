import { localize } from "../../base/localize.ts";
import { readFields, stringifyJson, readText, type Fields } from "../../base/lenient.ts";
import { mediaFrom, mediaNamed } from "../base/media.ts";
import {
  callPart,
  otherPart,
  partsOfContent,
  resultPart,
  textPart,
  textParts,
  thinkingParts,
  readersByType,
  messageOf,
} from "../base/parts.ts";
import type { ConversationMessage, ConversationPart, Conversation } from "../base/protocol.ts";
import { isJsonObject, getMember, type JsonObject, type JsonTree } from "../../base/json/json-tree.ts";
import { chatReading, itemsAt, valueAt } from "../base/operation.ts";
import { describedTool, settingsOf } from "../base/settings.ts";

/**
 * Reads a message of Bedrock's converse. The single member of a block is its kind.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const parts = contentParts(fields["content"]);
  const role = readText(fields["role"]) ?? defaultRole;
  const results = parts.filter(({ type }) => type === "tool-result");
  return { role: results.length > 0 && results.length === parts.length ? "tool" : role, parts };
}

export const contentParts = (content: unknown): ConversationPart[] => partsOfContent(content, blockParts);

export function blockParts(value: unknown): ConversationPart[] {
  const fields = readFields(value);
  if (typeof fields["text"] === "string") return textParts(fields["text"]);
  const name = Object.keys(fields).find((key) => BLOCKS.has(key));
  const read = name === undefined ? undefined : BLOCKS.get(name)?.(readFields(fields[name]));
  if (read !== undefined) return read;
  // A cache point has no content.
  if (fields["cachePoint"] !== undefined) return [];
  const kind = readText(fields["type"]) ?? Object.keys(fields)[0] ?? "content";
  return [otherPart(kind, stringifyJson(value))];
}

/** Readers of blocks by their member; they return undefined for a value that does not match its name. */
const BLOCKS = readersByType<ConversationPart[]>({
  reasoningContent: reasoningParts,
  toolUse: ({ toolUseId, name, input }) => [callPart(toolUseId, name, input ?? {})],
  toolResult: resultParts,
  image: (inner) => mediaParts("image", inner),
  video: (inner) => mediaParts("video", inner),
  audio: (inner) => mediaParts("audio", inner),
  document: (inner) => mediaParts("file", inner),
  guardContent: (inner) => {
    const { text } = readFields(inner["text"]);
    return typeof text === "string" ? [textPart(text)] : undefined;
  },
  citationsContent: (inner) => contentParts(inner["content"]),
  searchResult: (inner) => contentParts(inner["content"]),
  json: (inner) => [textPart(stringifyJson(inner))],
});

function reasoningParts(inner: Fields): ConversationPart[] | undefined {
  const text = readFields(inner["reasoningText"])["text"];
  if (typeof text === "string") return thinkingParts(text);
  return inner["redactedContent"] === undefined ? undefined : [otherPart(localize("redacted thinking"), "")];
}

/** Reads the result of a tool; its images and files follow its text. */
function resultParts(inner: Fields): ConversationPart[] {
  const parts = contentParts(inner["content"]);
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  const text = `${inner["status"] === "error" ? "error: " : ""}${texts.join("\n")}`;
  return [resultPart(inner["toolUseId"], text), ...parts.filter(({ type }) => type === "media")];
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
  if (bytes !== undefined) return [mediaFrom(media, type, bytes, name)];
  if (place !== undefined) return [mediaNamed(media, name === undefined ? place : `${name}, ${place}`)];
  return source["content"] === undefined && source["text"] === undefined
    ? undefined
    : [otherPart(name ?? "document", readText(source["text"]) ?? stringifyJson(source))];
}

/** Reads the messages of a converse or of an invoke of Nova, which has the same members. */
export function messagesOf(body: JsonObject): ConversationMessage[] {
  return [
    ...messageOf("system", contentParts(valueAt(body, "system"))),
    ...chatReading(messageFrom).messages(body),
  ];
}

const SHOWN = ["messages", "system", "inferenceConfig", "toolConfig", "anthropic_version", "schemaVersion"];

export function settingsIn(body: JsonObject): Conversation["settings"] {
  const config = getMember(body, "toolConfig");
  const tools = itemsAt(config, "tools").flatMap((tool) => toolWords(tool) ?? []);
  return [
    ...settingsOf(getMember(body, "inferenceConfig")),
    ...(tools.length === 0 ? [] : [["tools", tools.join(", ")] as const]),
    ...settingsOf(config, ["tools"]),
    ...settingsOf(body, SHOWN),
  ];
}

/** Formats a tool. Cache points in the list are not tools. */
function toolWords(tool: JsonTree): string | undefined {
  const spec = getMember(tool, "toolSpec");
  if (spec !== undefined)
    return describedTool(getMember(spec, "name"), getMember(getMember(spec, "inputSchema"), "json"));
  const [first] = isJsonObject(tool) ? tool.members : [];
  return first === undefined || first[0] === "cachePoint" ? undefined : first[0];
}
