import {
  countIn,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  textIn,
} from "../../../../core/protocol/base/lenient.ts";
import { replyOf, endEvents, startEvent } from "../../adapter.ts";
import type { ChunkReader } from "../../fold.ts";
import { chatError } from "../../../errors.ts";
import {
  type AudioPiece,
  type ChatReply,
  type FinishReason,
  type PartPiece,
  type StreamEvent,
  type Usage,
  usage,
} from "../../../reply.ts";
import { pickDefined } from "../../../../core/pick-defined.ts";

/** A whole response. @throws ChatError where it says that it failed. */
export function responsesReply(raw: unknown): ChatReply {
  const response = fieldsOf(raw);
  const pieces = listOf(response["output"]).map((item, output_index) => ({
    type: "response.output_item.done",
    output_index,
    item,
  }));
  const start = { type: "response.created", response };
  return replyOf(responsesChunks(), [start, ...pieces, { type: "response.completed", response }]);
}

interface State {
  started: boolean;
  finish: { readonly reason: FinishReason; readonly raw: string } | undefined;
  usage: Usage | undefined;
  calls: number;
  refused: boolean;
  /** What was told last of each item's parts, so that a whole item adds only what is missing. */
  readonly told: Map<string, string>;
}

/** Reads the events of one streamed response. Source: platform.openai.com/docs/api-reference/responses-streaming, 2026-11. */
export function responsesChunks(): ChunkReader {
  const state: State = {
    started: false,
    finish: undefined,
    usage: undefined,
    calls: 0,
    refused: false,
    told: new Map(),
  };
  return {
    read: (one) => readEvent(fieldsOf(one), state),
    end: () => endEvents(state.usage, state.finish?.raw, () => state.finish?.reason ?? "other"),
  };
}

function readEvent(event: Fields, state: State): StreamEvent[] {
  const { type } = event;
  if (type === "response.output_text.delta" || type === "response.refusal.delta") {
    state.refused ||= type === "response.refusal.delta";
    return pieceEvents(state, placeOf(event, "content_index"), "text", textIn(event["delta"]));
  }
  if (type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta")
    return thought(event, state);
  if (type === "response.function_call_arguments.delta" || type === "response.custom_tool_call_input.delta")
    return pieceEvents(state, placeOf(event), "tool-call", textIn(event["delta"]));
  if (type === "response.output_item.added") return callStart(event);
  if (type === "response.output_item.done") return wholeItem(event, state);
  if (type === "error" || type === "response.failed") throw failure(event);
  if (type === "response.created" || type === "response.in_progress") return startOf(event, state);
  if (type === "response.completed" || type === "response.incomplete") finishWith(event, state);
  return [];
}

function startOf(event: Fields, state: State): StreamEvent[] {
  if (state.started) return [];
  const { id, model } = fieldsOf(event["response"]);
  state.started = true;
  return [startEvent(id, model)];
}

/** A call is announced with its name before its arguments come. */
function callStart(event: Fields): StreamEvent[] {
  const item = fieldsOf(event["item"]);
  if (item["type"] !== "function_call" && item["type"] !== CUSTOM_CALL) return [];
  const named = pickDefined({ id: textIn(item["call_id"]), name: textIn(item["name"]) });
  return [{ type: "tool-call", index: placeOf(event), ...named }];
}

/** The parts of a summary are paragraphs. */
function thought(event: Fields, state: State): StreamEvent[] {
  const index = placeOf(event);
  const part = countIn(event["summary_index"]) ?? countIn(event["content_index"]) ?? 0;
  const opened = `paragraph ${index}`;
  const first = state.told.has(`thinking ${index}`) && state.told.get(opened) !== String(part);
  state.told.set(opened, String(part));
  return pieceEvents(state, index, "thinking", `${first ? SUMMARY_GAP : ""}${textIn(event["delta"]) ?? ""}`);
}

function pieceEvents(
  state: State,
  index: number,
  type: "text" | "thinking" | "tool-call",
  text: string | undefined,
): StreamEvent[] {
  if (text === undefined || text === "") return [];
  state.told.set(`${type} ${index}`, text);
  return type === "tool-call" ? [{ type, index, arguments: text }] : [{ type, index, text }];
}

/** What the whole item has beyond its pieces: signatures always, texts where no pieces of them came. */
function wholeItem(event: Fields, state: State): StreamEvent[] {
  const pieces = itemPieces(fieldsOf(event["item"]), placeOf(event));
  state.calls += pieces.filter(({ type }) => type === "tool-call").length;
  state.refused ||= listOf(fieldsOf(event["item"])["content"]).some(
    (part) => fieldsOf(part)["type"] === "refusal",
  );
  return pieces.flatMap((piece): StreamEvent[] => {
    if (piece.type === "media") return [piece];
    const known = state.told.has(`${piece.type} ${piece.index}`);
    if (piece.type === "tool-call") return [known ? { ...piece, arguments: "" } : piece];
    return [known ? { ...piece, text: "" } : piece];
  });
}

function finishWith(event: Fields, state: State): void {
  const response = fieldsOf(event["response"]);
  if (isFields(response["error"])) throw failure(event);
  state.usage = tokenCounts(response["usage"]) ?? state.usage;
  const status = textIn(response["status"]) ?? "completed";
  const detail = textIn(fieldsOf(response["incomplete_details"])["reason"]);
  if (detail === "max_output_tokens" || detail === "max_tokens")
    state.finish = { reason: "length", raw: detail };
  else if (detail === "content_filter" || state.refused)
    state.finish = { reason: "content-filter", raw: detail ?? status };
  else if (status === "completed")
    state.finish = { reason: state.calls > 0 ? "tool-calls" : "stop", raw: status };
  else state.finish = { reason: "other", raw: detail ?? status };
}

function failure(event: Fields): Error {
  const response = fieldsOf(event["response"]);
  const error = [response["error"], event["error"], event].find(isFields) ?? {};
  const code = textIn(error["code"]) ?? "";
  const message = textIn(error["message"]) ?? "OpenAI says that the response failed.";
  const kind = code === "rate_limit_exceeded" ? "rate-limit" : "status";
  return chatError(kind, code === "" ? message : `${code}: ${message}`, {
    provider: "openai",
    retryable: code === "server_error" || code === "rate_limit_exceeded",
  });
}

/** Between the paragraphs of a summary of thoughts. */
const SUMMARY_GAP = "\n\n";

/** A call of a tool that takes a text instead of JSON. */
export const CUSTOM_CALL = "custom_tool_call";

/** Where a part of an item stands in the message: items in order, and their contents within them. */
export function placeOf(event: Fields, inner?: string): number {
  const item = countIn(event["output_index"]) ?? 0;
  return item * 1000 + (inner === undefined ? 0 : (countIn(event[inner]) ?? 0));
}

/** A piece of what an item can be. */
type ItemPiece = Exclude<PartPiece, AudioPiece>;

/**
 * The parts that an item of output is. Calls of the provider's own tools are none: they are done already, and stand
 * in the raw answer; a picture that one of them made is a part.
 */
function itemPieces(item: Fields, index: number): readonly ItemPiece[] {
  if (item["type"] === "message")
    return listOf(item["content"]).flatMap((part, at) => textPieces(part, index + at));
  if (item["type"] === "reasoning") return [thoughts(item, index)];
  if (item["type"] === "function_call" || item["type"] === CUSTOM_CALL) return [callPiece(item, index)];
  const picture = item["type"] === "image_generation_call" ? textIn(item["result"]) : undefined;
  if (picture === undefined) return [];
  const mediaType = `image/${textIn(item["output_format"]) ?? "png"}`;
  const source = { kind: "base64" as const, mediaType, data: picture };
  return [{ type: "media", index, part: { type: "image", source } }];
}

function textPieces(part: unknown, index: number): ItemPiece[] {
  const { text, refusal } = fieldsOf(part);
  const said = textIn(text) ?? textIn(refusal);
  return said === undefined ? [] : [{ type: "text", index, text: said }];
}

function thoughts(item: Fields, index: number): ItemPiece {
  const written = [...listOf(item["summary"]), ...listOf(item["content"])];
  const text = written.map((part) => textIn(fieldsOf(part)["text"]) ?? "").join(SUMMARY_GAP);
  const [id, signature] = [textIn(item["id"]), textIn(item["encrypted_content"])];
  return {
    type: "thinking",
    index,
    text,
    ...pickDefined({ signature }),
    ...(id !== undefined && { extras: { openai: { id } } }),
  };
}

function callPiece(item: Fields, index: number): ItemPiece {
  return {
    type: "tool-call",
    index,
    ...pickDefined({ id: textIn(item["call_id"]), name: textIn(item["name"]) }),
    arguments: textIn(item["arguments"]) ?? textIn(item["input"]) ?? "",
    ...(item["type"] === CUSTOM_CALL && { extras: { openai: { type: CUSTOM_CALL } } }),
  };
}

/**
 * Usage that is counted as `input_tokens` and `output_tokens` (OpenAI's responses, DashScope's own wire): what came from
 * a cache is part of the input. DashScope calls the input's details `prompt_tokens_details` on some of its models.
 */
export function tokenCounts(raw: unknown): Usage | undefined {
  if (!isFields(raw)) return undefined;
  const input = countIn(raw["input_tokens"]) ?? 0;
  const details = fieldsOf(raw["input_tokens_details"] ?? raw["prompt_tokens_details"]);
  const cacheReadTokens = countIn(details["cached_tokens"]) ?? 0;
  return usage({
    uncachedInputTokens: Math.max(0, input - cacheReadTokens),
    cacheReadTokens,
    outputTokens: countIn(raw["output_tokens"]) ?? 0,
    reasoningTokens: countIn(fieldsOf(raw["output_tokens_details"])["reasoning_tokens"]) ?? 0,
    raw,
  });
}
