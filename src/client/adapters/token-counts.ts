import { countIn, fieldsOf, isFields } from "../../core/protocol/reading/lenient.ts";
import { usage, type Usage } from "../usage.ts";

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
