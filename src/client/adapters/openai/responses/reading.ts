import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../../core/protocol/reading/lenient.ts";
import { chatError } from "../../../errors.ts";
import type { StreamEvent } from "../../../part-stream.ts";
import type { ChatReply, FinishReason } from "../../../reply.ts";
import type { Usage } from "../../../usage.ts";
import type { ChunkReader } from "../../adapter.ts";
import { replyOf } from "../../reply-of.ts";
import { tokenCounts } from "../../token-counts.ts";
import { CUSTOM_CALL, itemPieces, placeOf, SUMMARY_GAP } from "./pieces.ts";

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
  /** What was told of each item's parts, so that a whole item adds only what is missing. */
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
    end() {
      const counted: StreamEvent[] = state.usage === undefined ? [] : [{ type: "usage", usage: state.usage }];
      if (state.finish === undefined) return counted;
      const { reason, raw } = state.finish;
      return [...counted, { type: "finish", reason, rawReason: raw }];
    },
  };
}

function readEvent(event: Fields, state: State): StreamEvent[] {
  const type = textIn(event["type"]) ?? "";
  if (type === "response.output_text.delta" || type === "response.refusal.delta") {
    state.refused ||= type === "response.refusal.delta";
    return told(state, placeOf(event, "content_index"), "text", textIn(event["delta"]));
  }
  if (type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta")
    return thought(event, state);
  if (type === "response.function_call_arguments.delta" || type === "response.custom_tool_call_input.delta")
    return told(state, placeOf(event), "tool-call", textIn(event["delta"]));
  if (type === "response.output_item.added") return added(event);
  if (type === "response.output_item.done") return wholeItem(event, state);
  if (type === "error" || type === "response.failed") throw failure(event);
  if (type === "response.created" || type === "response.in_progress") return startOf(event, state);
  if (type === "response.completed" || type === "response.incomplete") finishWith(event, state);
  return [];
}

function startOf(event: Fields, state: State): StreamEvent[] {
  if (state.started) return [];
  const { id: givenId, model: givenModel } = fieldsOf(event["response"]);
  const [id, model] = [textIn(givenId), textIn(givenModel)];
  state.started = true;
  return [{ type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }) }];
}

/** A call is announced with its name before its arguments come. */
function added(event: Fields): StreamEvent[] {
  const item = fieldsOf(event["item"]);
  if (item["type"] !== "function_call" && item["type"] !== CUSTOM_CALL) return [];
  const [id, name] = [textIn(item["call_id"]), textIn(item["name"])];
  return [
    {
      type: "tool-call",
      index: placeOf(event),
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
    },
  ];
}

/** The parts of a summary are paragraphs. */
function thought(event: Fields, state: State): StreamEvent[] {
  const index = placeOf(event);
  const part = countIn(event["summary_index"]) ?? countIn(event["content_index"]) ?? 0;
  const before = state.told.get(`thinking ${index}`) ?? "";
  const opened = `paragraph ${index}`;
  const first = state.told.get(opened) !== String(part) && before !== "";
  state.told.set(opened, String(part));
  return told(state, index, "thinking", `${first ? SUMMARY_GAP : ""}${textIn(event["delta"]) ?? ""}`);
}

function told(
  state: State,
  index: number,
  type: "text" | "thinking" | "tool-call",
  text: string | undefined,
): StreamEvent[] {
  if (text === undefined || text === "") return [];
  const key = `${type} ${index}`;
  state.told.set(key, (state.told.get(key) ?? "") + text);
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
    if (piece.type === "audio" || !("index" in piece)) return [];
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
