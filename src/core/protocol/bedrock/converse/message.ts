import { partsOfContent } from "../../reading/content.ts";
import { fieldsOf, jsonText, textIn, type Fields } from "../../reading/lenient.ts";
import { mediaFrom, mediaNamed } from "../../reading/media.ts";
import type { Message, Part } from "../../protocol.ts";

/**
 * A message of Bedrock's converse. Blocks are named by their one member.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const parts = contentParts(fields["content"]);
  const role = textIn(fields["role"]) ?? defaultRole;
  const results = parts.filter(({ type }) => type === "tool-result");
  return { role: results.length > 0 && results.length === parts.length ? "tool" : role, parts };
}

export function contentParts(content: unknown): Part[] {
  return partsOfContent(content, blockParts);
}

function blockParts(value: unknown): Part[] {
  const fields = fieldsOf(value);
  const { text } = fields;
  if (typeof text === "string") return text === "" ? [] : [{ type: "text", text }];
  const name = Object.keys(fields).find((key) => BLOCKS.has(key));
  const read = name === undefined ? undefined : BLOCKS.get(name)?.(fieldsOf(fields[name]));
  if (read !== undefined) return read;
  // It only says where the prompt may be cached.
  if (fields["cachePoint"] !== undefined) return [];
  const kind = textIn(fields["type"]) ?? Object.keys(fields)[0] ?? "content";
  return [{ type: "other", description: kind, text: jsonText(value) }];
}

/** Readers of blocks by their member; undefined where it is not what its name promises. */
const BLOCKS: ReadonlyMap<string, (inner: Fields) => Part[] | undefined> = new Map(
  Object.entries({
    reasoningContent: thinkingParts,
    toolUse: (inner: Fields) => [callPart(inner)],
    toolResult: resultParts,
    image: (inner: Fields) => mediaParts("image", inner),
    video: (inner: Fields) => mediaParts("video", inner),
    audio: (inner: Fields) => mediaParts("audio", inner),
    document: (inner: Fields) => mediaParts("file", inner),
    guardContent: (inner: Fields) => blockText(fieldsOf(inner["text"])["text"]),
    citationsContent: (inner: Fields) => contentParts(inner["content"]),
    searchResult: (inner: Fields) => contentParts(inner["content"]),
    json: (inner: Fields): Part[] => [{ type: "text", text: jsonText(inner) }],
  } satisfies Record<string, (inner: Fields) => Part[] | undefined>),
);

function blockText(text: unknown): Part[] | undefined {
  return typeof text === "string" ? [{ type: "text", text }] : undefined;
}

function thinkingParts(inner: Fields): Part[] | undefined {
  const text = fieldsOf(inner["reasoningText"])["text"];
  if (typeof text === "string") return text === "" ? [] : [{ type: "thinking", text }];
  return inner["redactedContent"] === undefined
    ? undefined
    : [{ type: "other", description: "redacted thinking", text: "" }];
}

function callPart(inner: Fields): Part {
  const id = textIn(inner["toolUseId"]);
  const { input } = inner;
  return {
    type: "tool-call",
    ...(id !== undefined && { id }),
    name: textIn(inner["name"]) ?? "",
    arguments: typeof input === "string" ? input : jsonText(input ?? {}),
  };
}

/** What a tool gave back; pictures and files in it stand after its text. */
function resultParts(inner: Fields): Part[] {
  const id = textIn(inner["toolUseId"]);
  const parts = contentParts(inner["content"]);
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  const text = `${inner["status"] === "error" ? "error: " : ""}${texts.join("\n")}`;
  return [
    { type: "tool-result", ...(id !== undefined && { id }), text },
    ...parts.filter(({ type }) => type === "media"),
  ];
}

function mediaParts(media: "image" | "video" | "audio" | "file", inner: Fields): Part[] | undefined {
  const source = fieldsOf(inner["source"]);
  const format = textIn(inner["format"]) ?? "";
  const name = textIn(inner["name"]);
  const bytes = textIn(source["bytes"]);
  const place = textIn(fieldsOf(source["s3Location"])["uri"]);
  const type = `${media === "file" ? "application" : media}/${format}`;
  if (bytes !== undefined) return [mediaFrom(media, type, bytes, name)];
  if (place !== undefined) return [mediaNamed(media, name === undefined ? place : `${name}, ${place}`)];
  return source["content"] === undefined && source["text"] === undefined
    ? undefined
    : [{ type: "other", description: name ?? "document", text: textIn(source["text"]) ?? jsonText(source) }];
}
