import type { FinishReason } from "../../../reply.ts";

/** Source: platform.openai.com/docs/api-reference/chat/object, 2026-11. */
export function chatFinish(reason: string): FinishReason {
  return FINISH[reason] ?? "other";
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  error: "error",
};
