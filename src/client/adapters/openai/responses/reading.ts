import { RESPONSES_FAMILY } from "../../../../core/protocol/openai/responses/reply.ts";
import { readFields, isFields, readList, readText } from "../../../../core/base/lenient.ts";
import { chatError, type ChatError } from "../../../errors.ts";
import type { FinishReason } from "../../../reply.ts";
import {
  callPiece,
  createInlineMedia,
  createMediaPiece,
  readPieces,
  type Folding,
  type ReplyState,
} from "../../fold.ts";

/** Type of a call whose tool takes a text instead of JSON. */
export const CUSTOM_CALL = "custom_tool_call";

export const FOLD_RESPONSES: Folding = {
  family: RESPONSES_FAMILY,
  whole: (response) => ({ ...response, output: readList(response["output"]) }),
  name: "OpenAI",
  provider: "openai",
  reasonOf,
  fail,
  // Calls of the provider's own tools are already completed, and are only in the raw answer.
  pieces(event) {
    if (event.type === "call" && event.kind === "provider") return [];
    if (event.type === "call") {
      const extras = event.kind === "custom" && { extras: { openai: { type: CUSTOM_CALL } } };
      return [{ ...callPiece(event), ...extras }];
    }
    if (event.type === "thinking" && event.isWhole === true) {
      const extras = event.id !== undefined && { extras: { openai: { id: event.id } } };
      const { type, index, text, signature } = event;
      return [{ type, index, text, ...(signature !== undefined && { signature }), ...extras }];
    }
    if (event.type !== "part") return readPieces(event);
    const { type, result, output_format: format } = readFields(event.raw);
    const picture = type === "image_generation_call" ? readText(result) : undefined;
    return picture === undefined
      ? []
      : [createMediaPiece(event, createInlineMedia(`image/${readText(format) ?? "png"}`, picture))];
  },
};

function reasonOf(raw: string, { calls, refused }: ReplyState): FinishReason {
  if (raw === "max_output_tokens" || raw === "max_tokens") return "length";
  if (raw === "content_filter" || refused) return "content-filter";
  if (raw !== "completed") return "other";
  return calls > 0 ? "tool-calls" : "stop";
}

function fail(given: unknown): ChatError {
  const error = isFields(given) ? given : {};
  const code = readText(error["code"]) ?? "";
  const message = readText(error["message"]) ?? "OpenAI reported a failed response.";
  const kind = code === "rate_limit_exceeded" ? "rate-limit" : "status";
  return chatError(kind, code === "" ? message : `${code}: ${message}`, {
    provider: "openai",
    retryable: code === "server_error" || code === "rate_limit_exceeded",
  });
}
