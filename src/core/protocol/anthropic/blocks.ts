import { localize } from "../../base/localize.ts";
import { readFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import { createMediaAt, createMedia, createNamedMedia } from "../base/media.ts";
import {
  createCallPart,
  createCitationParts,
  createOtherPart,
  readContentParts,
  createResultPart,
  createTextPart,
  createReadersByType,
} from "../base/parts.ts";
import type { ConversationMessage, ConversationPart } from "../base/protocol.ts";

/**
 * A message of a request or a reply. Content is a text or a list of blocks.
 * Source: docs.anthropic.com/en/api/messages, 2026-11.
 */
export function readAnthropicMessage(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  return { role: readText(fields["role"]) ?? defaultRole, parts: readAnthropicContent(fields["content"]) };
}

export const readAnthropicContent = (content: unknown): ConversationPart[] =>
  readContentParts(content, readBlockParts);

export function readBlockParts(value: unknown): ConversationPart[] {
  const fields = readFields(value);
  if (fields["type"] === "text") return [...innerParts(value), ...createCitationParts(fields["citations"])];
  const type = typeOf(fields);
  if (fields["tool_use_id"] !== undefined || type.endsWith("tool_result")) return resultParts(fields, type);
  return type.endsWith("tool_use")
    ? [createCallPart(fields["id"], fields["name"], fields["input"] ?? {})]
    : innerParts(value);
}

/** Reads a block that can be nested in a result. */
function innerParts(value: unknown): ConversationPart[] {
  if (typeof value === "string") return [createTextPart(value)];
  const fields = readFields(value);
  const type = typeOf(fields);
  return BLOCKS.get(type)?.(fields) ?? [createOtherPart(type, stringifyJson(value))];
}

const typeOf = (fields: Fields): string => readText(fields["type"]) ?? "content";

/** Readers of blocks by type; they return undefined for a block that does not match its type. */
const BLOCKS = createReadersByType<ConversationPart[]>({
  text: ({ text }) => (typeof text === "string" ? [createTextPart(text)] : undefined),
  thinking: ({ thinking }) =>
    typeof thinking === "string" ? [{ type: "thinking", text: thinking }] : undefined,
  redacted_thinking: () => [createOtherPart(localize("redacted thinking"), "")],
  image: ({ source }) => sourceParts("image", readFields(source)),
  document: ({ source, title }) => sourceParts("file", readFields(source), readText(title)),
  container_upload: ({ file_id: id }) =>
    typeof id === "string" ? [createNamedMedia("file", id)] : undefined,
  compaction: ({ content }) =>
    typeof content === "string" ? [createOtherPart(localize("compaction"), content)] : undefined,
  search_result: ({ title, source, content }) => [
    documentPart(blockTexts(content), [readText(title), readText(source)].filter(Boolean).join(" ")),
  ],
  web_fetch_result: ({ url, content }) => [
    createTextPart(readText(url) ?? ""),
    ...(content === undefined ? [] : innerParts(content)),
  ],
  code_execution_result: ranParts,
  bash_code_execution_result: ranParts,
  tool_reference: ({ tool_name: name }) => (typeof name === "string" ? [createTextPart(name)] : undefined),
  tool_search_tool_search_result: ({ tool_references: tools }) => readList(tools).flatMap(innerParts),
  web_search_result: ({ title, url }) =>
    typeof url === "string" ? [createTextPart(`${readText(title) ?? ""} ${url}`.trim())] : undefined,
});

/** Reads the output of a program, and its exit code if it failed. */
function ranParts({ stdout, stderr, return_code: code }: Fields): ConversationPart[] | undefined {
  if (typeof stdout !== "string") return undefined;
  const ended = typeof code === "number" && code !== 0 ? localize("exit code {0}", code) : undefined;
  const output = [stdout, readText(stderr), ended].filter(Boolean).join("\n");
  return [createTextPart(output.trimEnd())];
}

function blockTexts(content: unknown): string {
  return readList(content)
    .map((block) => readText(readFields(block)["text"]) ?? stringifyJson(block))
    .join("\n");
}

function sourceParts(
  media: "image" | "file",
  source: Fields,
  title?: string,
): ConversationPart[] | undefined {
  const data = readText(source["data"]);
  const url = readText(source["url"]);
  const id = readText(source["file_id"]);
  if (source["type"] === "text" && data !== undefined) return [documentPart(data, title)];
  if (data !== undefined) return [createMedia(media, readText(source["media_type"]) ?? media, data, title)];
  if (url !== undefined) return [createMediaAt(media, url, title)];
  if (id !== undefined) return [createNamedMedia(media, title === undefined ? id : `${id}, ${title}`)];
  const { content } = source;
  if (typeof content === "string") return [documentPart(content, title)];
  return content === undefined ? undefined : [documentPart(blockTexts(content), title)];
}

function documentPart(text: string, title: string | undefined): ConversationPart {
  return createOtherPart(title === undefined ? "document" : `document ${title}`, text);
}

/**
 * Reads the result of a tool; its images and files follow its text.
 * The provider's own tools return a list of results, or one result object.
 */
function resultParts(fields: Fields, type: string): ConversationPart[] {
  const { tool_use_id: id, content, is_error: failed } = fields;
  const inner = resultsIn(content).flatMap(innerParts);
  const texts = inner.flatMap((part) =>
    part.type === "media" || part.type === "tool-call" ? [] : [part.text],
  );
  const text = content === undefined && type !== "tool_result" ? stringifyJson(fields) : texts.join("\n");
  return [
    createResultPart(id, failed === true ? `error: ${text}` : text),
    ...inner.filter((part) => part.type === "media"),
  ];
}

function resultsIn(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return readList(content);
  return content === undefined || content === null || content === "" ? [] : [content];
}
