import { fieldsOf, listOf, textIn } from "./lenient.ts";
import type { Part } from "../protocol.ts";

/** What a text says it is based on, once each: a page, a document or a file, and the passage where it is told. */
export function citationParts(citations: unknown): Part[] {
  const lines = new Set(listOf(citations).flatMap((citation) => citationLine(citation) ?? []));
  return lines.size === 0 ? [] : [{ type: "other", description: "cites", text: [...lines].join("\n") }];
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
