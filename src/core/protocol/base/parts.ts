import { fieldsOf, jsonText, listOf, textIn, type Fields, textOrJson } from "../../base/lenient.ts";
import type { ConversationMessage, ConversationPart } from "./protocol.ts";

export const textPart = (text: string): ConversationPart => ({ type: "text", text });

/** What has no type of its own, under a description. */
export const otherPart = (description: string, text: string): ConversationPart => ({
  type: "other",
  description,
  text,
});

/** A text that says something as a part; none for anything else. */
export function textParts(value: unknown): ConversationPart[] {
  const text = textIn(value);
  return text === undefined ? [] : [textPart(text)];
}

/** The same of what was thought. */
export function thinkingParts(value: unknown): ConversationPart[] {
  const text = textIn(value);
  return text === undefined ? [] : [{ type: "thinking", text }];
}

/** A message, where it has parts. */
export function messageOf(role: string, parts: readonly ConversationPart[]): ConversationMessage[] {
  return parts.length === 0 ? [] : [{ role, parts }];
}

/** What a reply that nobody spoke says in words: "3 embeddings". */
export const replyMessage = (text: string): ConversationMessage => ({
  role: "reply",
  parts: [textPart(text)],
});

/** The parts of a content: a text, or a list of texts and of what `partsOf` reads. An empty text says nothing. */
export function partsOfContent(
  content: unknown,
  partsOf: (item: unknown) => ConversationPart | readonly ConversationPart[],
): ConversationPart[] {
  if (typeof content === "string") return textParts(content);
  return listOf(content).flatMap((item) => (typeof item === "string" ? textPart(item) : partsOf(item)));
}

/** A call of a function: `{ id, function: { name, arguments } }`, arguments as text or as a value. */
export function functionCallPart(value: unknown, withoutArguments = ""): ConversationPart {
  const call = fieldsOf(value);
  const called = fieldsOf(call["function"]);
  return callPart(call["id"], called["name"], called["arguments"] ?? withoutArguments);
}

/** A call of what has a name; what it was given is a text, or a value that is shown as one. */
export function callPart(id: unknown, name: unknown, given: unknown): ConversationPart {
  return {
    type: "tool-call",
    id: textIn(id),
    name: textIn(name) ?? "",
    arguments: textOrJson(given),
  };
}

export function resultPart(id: unknown, text: string): ConversationPart {
  return { type: "tool-result", id: textIn(id), text };
}

/** What a tool gave back, as the text of its content; `names` are the members that may say whose result it is. */
export function toolResultPart(
  fields: Fields,
  content: readonly ConversationPart[],
  names: readonly string[],
): ConversationPart {
  const [id] = names.flatMap((name) => textIn(fields[name]) ?? []);
  return resultPart(id, content.map((part) => ("text" in part ? part.text : "")).join(""));
}

/** What a text says it is based on, once each: a page, a document or a file, and the passage where it is told. */
export function citationParts(citations: unknown): ConversationPart[] {
  const lines = new Set(listOf(citations).flatMap((citation) => citationLine(citation) ?? []));
  return lines.size === 0 ? [] : [otherPart("cites", [...lines].join("\n"))];
}

/**
 * Sources: docs.anthropic.com/en/docs/build-with-claude/citations, platform.openai.com/docs/api-reference/responses
 * (`annotations`), 2026-11.
 */
function citationLine(citation: unknown): string | undefined {
  if (typeof citation === "string") return textIn(citation);
  const outer = fieldsOf(citation);
  // In chats an address stands one level deeper.
  const fields = { ...outer, ...fieldsOf(outer["url_citation"]) };
  const name = ["title", "document_title", "filename", "source", "file_id"].flatMap(
    (member) => textIn(fields[member]) ?? [],
  )[0];
  const place = textIn(fields["url"]);
  const passage = textIn(fields["cited_text"])?.replace(/\s+/g, " ").trim();
  const where = [name, place].filter((one) => one !== undefined).join(" ");
  if (where === "") return passage === undefined ? undefined : `"${passage}"`;
  return passage === undefined ? where : `${where}: "${passage}"`;
}

/** Readers of things by their type; undefined where one is not what its type promises. */
export function readersByType<T>(
  readers: Readonly<Record<string, (fields: Fields) => T | undefined>>,
): ReadonlyMap<string, (fields: Fields) => T | undefined> {
  return new Map(Object.entries(readers));
}

/** Reads parts by their type; one that no reader knows is told as it is. */
export function partReader(
  readers: Parameters<typeof readersByType<ConversationPart>>[0],
): (value: unknown) => ConversationPart {
  const byType = readersByType(readers);
  return (value) => {
    const fields = fieldsOf(value);
    const type = textIn(fields["type"]) ?? "content";
    return byType.get(type)?.(fields) ?? otherPart(type, jsonText(value));
  };
}
