import { countIn, fieldsOf, listOf, textIn, type Fields } from "../../../../core/protocol/reading/lenient.ts";
import type { PartPiece } from "../../../part-stream.ts";

/** Between the paragraphs of a summary of thoughts. */
export const SUMMARY_GAP = "\n\n";

/** A call of a tool that takes a text instead of JSON. */
export const CUSTOM_CALL = "custom_tool_call";

/** Where a part of an item stands in the message: items in order, and their contents within them. */
export function placeOf(event: Fields, inner?: string): number {
  const item = countIn(event["output_index"]) ?? 0;
  return item * 1000 + (inner === undefined ? 0 : (countIn(event[inner]) ?? 0));
}

/**
 * The parts that an item of output is. Calls of the provider's own tools are none: they are done already, and stand
 * in the raw answer; a picture that one of them made is a part.
 */
export function itemPieces(item: Fields, index: number): readonly PartPiece[] {
  if (item["type"] === "message")
    return listOf(item["content"]).flatMap((part, at) => spoken(part, index + at));
  if (item["type"] === "reasoning") return [thoughts(item, index)];
  if (item["type"] === "function_call" || item["type"] === CUSTOM_CALL) return [called(item, index)];
  const picture = item["type"] === "image_generation_call" ? textIn(item["result"]) : undefined;
  if (picture === undefined) return [];
  const mediaType = `image/${textIn(item["output_format"]) ?? "png"}`;
  const source = { kind: "base64" as const, mediaType, data: picture };
  return [{ type: "media", index, part: { type: "image", source } }];
}

function spoken(part: unknown, index: number): PartPiece[] {
  const { text, refusal } = fieldsOf(part);
  const said = textIn(text) ?? textIn(refusal);
  return said === undefined ? [] : [{ type: "text", index, text: said }];
}

function thoughts(item: Fields, index: number): PartPiece {
  const written = [...listOf(item["summary"]), ...listOf(item["content"])];
  const text = written.map((part) => textIn(fieldsOf(part)["text"]) ?? "").join(SUMMARY_GAP);
  const [id, signature] = [textIn(item["id"]), textIn(item["encrypted_content"])];
  return {
    type: "thinking",
    index,
    text,
    ...(signature !== undefined && { signature }),
    ...(id !== undefined && { extras: { openai: { id } } }),
  };
}

function called(item: Fields, index: number): PartPiece {
  const [id, name] = [textIn(item["call_id"]), textIn(item["name"])];
  return {
    type: "tool-call",
    index,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    arguments: textIn(item["arguments"]) ?? textIn(item["input"]) ?? "",
    ...(item["type"] === CUSTOM_CALL && { extras: { openai: { type: CUSTOM_CALL } } }),
  };
}
