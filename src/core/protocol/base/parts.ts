import {
  readFields,
  stringifyJson,
  readList,
  readText,
  type Fields,
  writeTextOrJson,
} from "../../base/lenient.ts";
import type { ConversationMessage, ConversationPart } from "./protocol.ts";

export const createTextPart = (text: string): ConversationPart => ({ type: "text", text });

/** Makes a part with a description, for content without a part type. */
export const createOtherPart = (description: string, text: string): ConversationPart => ({
  type: "other",
  description,
  text,
});

/** Makes a text part from a non-empty string; returns no part for any other value. */
export function createTextParts(value: unknown): ConversationPart[] {
  const text = readText(value);
  return text === undefined ? [] : [createTextPart(text)];
}

/** Makes a thinking part from a non-empty string; returns no part for any other value. */
export function createThinkingParts(value: unknown): ConversationPart[] {
  const text = readText(value);
  return text === undefined ? [] : [{ type: "thinking", text }];
}

/** Makes a message, unless it has no parts. */
export function createMessages(role: string, parts: readonly ConversationPart[]): ConversationMessage[] {
  return parts.length === 0 ? [] : [{ role, parts }];
}

/** Makes a message that summarizes a reply without a conversation: "3 embeddings". */
export const createReplyMessage = (text: string): ConversationMessage => ({
  role: "reply",
  parts: [createTextPart(text)],
});

/** Reads the parts of a message's content: a string, or a list of strings and of items for `partsOf`. */
export function readContentParts(
  content: unknown,
  partsOf: (item: unknown) => ConversationPart | readonly ConversationPart[],
): ConversationPart[] {
  if (typeof content === "string") return createTextParts(content);
  return readList(content).flatMap((item) =>
    typeof item === "string" ? createTextPart(item) : partsOf(item),
  );
}

/** Reads a tool call `{ id, function: { name, arguments } }` with arguments as text or as a value. */
export function createFunctionCallPart(value: unknown, withoutArguments = ""): ConversationPart {
  const call = readFields(value);
  const called = readFields(call["function"]);
  return createCallPart(call["id"], called["name"], called["arguments"] ?? withoutArguments);
}

/** Makes a tool call. Arguments that are not a string are shown as JSON. */
export function createCallPart(id: unknown, name: unknown, given: unknown): ConversationPart {
  return {
    type: "tool-call",
    id: readText(id),
    name: readText(name) ?? "",
    arguments: writeTextOrJson(given),
  };
}

export function createResultPart(id: unknown, text: string): ConversationPart {
  return { type: "tool-result", id: readText(id), text };
}

/** Makes a tool result from the texts of its content. `names` are the members that can have the ID of the call. */
export function createToolResultPart(
  fields: Fields,
  content: readonly ConversationPart[],
  names: readonly string[],
): ConversationPart {
  const [id] = names.flatMap((name) => readText(fields[name]) ?? []);
  return createResultPart(id, content.map((part) => ("text" in part ? part.text : "")).join(""));
}

/** Lists the sources of a text without duplicates: a page, document, or file, and the cited passage. */
export function createCitationParts(citations: unknown): ConversationPart[] {
  const lines = new Set(readList(citations).flatMap((citation) => citationLine(citation) ?? []));
  return lines.size === 0 ? [] : [createOtherPart("cites", [...lines].join("\n"))];
}

/**
 * Sources: docs.anthropic.com/en/docs/build-with-claude/citations, platform.openai.com/docs/api-reference/responses
 * (`annotations`), 2026-11.
 */
function citationLine(citation: unknown): string | undefined {
  if (typeof citation === "string") return readText(citation);
  const outer = readFields(citation);
  // In chats, the URL is one level deeper.
  const fields = { ...outer, ...readFields(outer["url_citation"]) };
  const name = ["title", "document_title", "filename", "source", "file_id"].flatMap(
    (member) => readText(fields[member]) ?? [],
  )[0];
  const url = readText(fields["url"]);
  const passage = readText(fields["cited_text"])?.replace(/\s+/g, " ").trim();
  const source = [name, url].filter((one) => one !== undefined).join(" ");
  if (source === "") return passage === undefined ? undefined : `"${passage}"`;
  return passage === undefined ? source : `${source}: "${passage}"`;
}

/** Indexes readers by type. They return undefined for a value that does not match its type. */
export function createReadersByType<T>(
  readers: Readonly<Record<string, (fields: Fields) => T | undefined>>,
): ReadonlyMap<string, (fields: Fields) => T | undefined> {
  return new Map(Object.entries(readers));
}

/** Makes a function that reads parts by type. It shows a part of an unknown type as JSON. */
export function createPartReader(
  readers: Parameters<typeof createReadersByType<ConversationPart>>[0],
): (value: unknown) => ConversationPart {
  const byType = createReadersByType(readers);
  return (value) => {
    const fields = readFields(value);
    const type = readText(fields["type"]) ?? "content";
    return byType.get(type)?.(fields) ?? createOtherPart(type, stringifyJson(value));
  };
}
