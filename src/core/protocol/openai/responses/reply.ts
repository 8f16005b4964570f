import type { EventReader, PieceEvent, ReplyEvent, WireFamily } from "../../base/events.ts";
import {
  readCount,
  readFields,
  isFields,
  readList,
  readText,
  writeTextOrJson,
  type Fields,
} from "../../../base/lenient.ts";
import { createCitationParts } from "../../base/parts.ts";
import { readItemParts } from "./items.ts";

/** OpenAI's responses, whose items form one message. */
export const RESPONSES_FAMILY: WireFamily = {
  usage: "responses",
  reader: createResponseReader,
  chunksOf,
  counted: { last: [/"response":\s*\{.*"usage":\s*\{/, /"response":\s*\{.*"model":\s*"[^"]/] },
};

/** Turns a whole response into the last event of its stream. */
function chunksOf(response: Fields): readonly Fields[] | undefined {
  if (Array.isArray(response["output"])) return [{ type: "response.completed", response }];
  return response["error"] ? [{ type: "error", error: response["error"] }] : undefined;
}

/** State of the items that are being read. */
interface ReaderState {
  /** Indexes of the pieces that have arrived. */
  readonly started: Set<number>;
  /** Positions of the items that are complete. */
  readonly done: Set<number>;
  /** The current paragraph of thoughts, by the position of its item. */
  readonly paragraphs: Map<number, unknown>;
}

/** Source: platform.openai.com/docs/api-reference/responses-streaming, 2026-11. */
function createResponseReader(): EventReader {
  const open: ReaderState = { started: new Set(), done: new Set(), paragraphs: new Map() };
  return {
    read(event) {
      const { type, response } = event;
      const isBare = type === "response.failed" && !isFields(response);
      const failed = isBare || type === "error" || (type === undefined && Boolean(event["error"]));
      if (failed)
        return [
          { type: "error", error: event["error"] ?? { code: event["code"], message: event["message"] } },
        ];
      const whole = isFields(response) ? responseEvents(response, String(type), open) : [];
      return [...whole, ...itemEvents(event, open)];
    },
  };
}

function responseEvents(response: Fields, type: string, open: ReaderState): readonly ReplyEvent[] {
  const isEnd = type === "response.completed" || type === "response.incomplete";
  const { usage, error } = response;
  const reason =
    readText(readFields(response["incomplete_details"])["reason"]) ?? readText(response["status"]);
  return [
    { type: "start", id: readText(response["id"]), model: readText(response["model"]) },
    // Servers that do not stream items send them here.
    ...(isEnd ? readList(response["output"]).flatMap((item, at) => wholeItem(item, at, open)) : []),
    ...(isFields(usage) ? [{ type: "usage" as const, usage }] : []),
    ...(error || type === "response.failed" ? [{ type: "error" as const, error: error ?? response }] : []),
    ...(reason === undefined
      ? []
      : [{ type: "finish" as const, reason, ...(!isEnd && { only: "view" as const }) }]),
    ...(reason === undefined && isEnd
      ? [{ type: "finish" as const, reason: "completed", only: "stream" as const }]
      : []),
  ];
}

/** Index of a part: items in order, and contents within an item. */
const placeOf = (item: number, content = 0): number => item * 1000 + content;

function itemEvents(event: Fields, open: ReaderState): readonly ReplyEvent[] {
  const type = readText(event["type"]) ?? "";
  const at = readCount(event["output_index"]) ?? 0;
  if (type === "response.output_item.done") return wholeItem(event["item"], at, open);
  if (type === "response.output_item.added") return addedItem(readFields(event["item"]), at);
  const delta = readText(event["delta"]);
  if (delta === undefined) return [];
  const index = placeOf(at, readCount(event["content_index"]));
  switch (type) {
    case "response.output_text.delta":
      return piece({ type: "text", index, text: delta }, open);
    case "response.refusal.delta":
      return piece({ type: "refusal", index, text: delta }, open);
    case "response.reasoning_text.delta":
    case "response.reasoning_summary_text.delta":
      return piece(
        { type: "thinking", index: placeOf(at), text: paragraphOf(event, at, open) + delta },
        open,
      );
    case "response.function_call_arguments.delta":
    case "response.mcp_call_arguments.delta":
    case "response.custom_tool_call_input.delta":
    case "response.code_interpreter_call_code.delta":
      return piece({ type: "call", index: placeOf(at), arguments: delta }, open);
    default:
      return [];
  }
}

function piece(event: PieceEvent, { started }: ReaderState): readonly ReplyEvent[] {
  started.add(event.index);
  return [event];
}

/** Returns a separator if a new part of a summary starts; the parts are paragraphs. */
function paragraphOf(event: Fields, at: number, { paragraphs }: ReaderState): string {
  const part = event["summary_index"] ?? event["content_index"] ?? 0;
  const isNext = paragraphs.has(at) && paragraphs.get(at) !== part;
  paragraphs.set(at, part);
  return isNext ? "\n\n" : "";
}

/** Reads the announcement of a call, with its name but without its arguments. */
function addedItem(item: Fields, at: number): readonly ReplyEvent[] {
  const type = readText(item["type"]) ?? "";
  if (type !== "function_call" && type !== "custom_tool_call") return [];
  return [{ type: "call", index: placeOf(at), id: readText(item["call_id"]), name: readText(item["name"]) }];
}

/** Reads what a complete item adds to its pieces: text if no pieces arrived, and whole parts. */
function wholeItem(value: unknown, at: number, open: ReaderState): readonly ReplyEvent[] {
  const item = readFields(value);
  if (open.done.has(at)) return [];
  open.done.add(at);
  const index = placeOf(at);
  const isSaid = open.started.has(index);
  switch (item["type"]) {
    case "message":
      return readList(item["content"]).flatMap((part, content) =>
        contentEvents(part, placeOf(at, content), open.started.has(placeOf(at, content))),
      );
    case "reasoning":
      return reasoningEvents(item, index, isSaid);
    case "function_call":
    case "custom_tool_call": {
      const given = item["arguments"] ?? item["input"] ?? "";
      const named = { id: readText(item["call_id"]) ?? readText(item["id"]), name: readText(item["name"]) };
      return [{ type: "call", index, ...named, arguments: isSaid ? "" : writeTextOrJson(given) }];
    }
    default:
      return [{ type: "part", index, parts: readItemParts(item), raw: item }];
  }
}

function contentEvents(part: unknown, index: number, isSaid: boolean): readonly ReplyEvent[] {
  const { type, text, refusal, annotations } = readFields(part);
  const cited = createCitationParts(annotations);
  const cites =
    cited.length === 0 ? [] : [{ type: "part" as const, index: index + 0.5, parts: cited, raw: part }];
  if (type === "refusal" && typeof refusal === "string")
    return [{ type: "refusal", index, text: isSaid ? "" : refusal }, ...cites];
  if (typeof text === "string") return [{ type: "text", index, text: isSaid ? "" : text }, ...cites];
  const parts = readItemParts({ type: "message", content: [part] });
  return [{ type: "part", index, parts, raw: part }];
}

/** Reads a model's thoughts. Some models return them in full, some return a summary, and some hide them. */
function reasoningEvents(item: Fields, index: number, isSaid: boolean): readonly ReplyEvent[] {
  const texts = [...readList(item["summary"]), ...readList(item["content"])].flatMap(
    (part) => readText(readFields(part)["text"]) ?? [],
  );
  if (isSaid) return [];
  if (texts.length > 0) return [{ type: "thinking", index, text: texts.join("\n\n") }];
  if (readText(item["encrypted_content"]) === undefined) return [];
  return [{ type: "part", index: index + 0.5, parts: readItemParts(item), raw: undefined }];
}
