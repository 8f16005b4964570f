import { countIn, fieldsOf, isFields } from "../../../../core/protocol/reading/lenient.ts";
import { usage, type Usage } from "../../../usage.ts";

/** OpenAI's prompt includes what came from a cache; DeepSeek says that in a field of its own. */
export function chatUsage(raw: unknown): Usage | undefined {
  if (!isFields(raw)) return undefined;
  const prompt = countIn(raw["prompt_tokens"]);
  const completion = countIn(raw["completion_tokens"]);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = fieldsOf(raw["prompt_tokens_details"]);
  const cacheReadTokens = countIn(details["cached_tokens"]) ?? countIn(raw["prompt_cache_hit_tokens"]) ?? 0;
  const cacheWriteTokens =
    countIn(details["cache_write_tokens"]) ?? countIn(details["cache_creation_input_tokens"]) ?? 0;
  return usage({
    uncachedInputTokens: Math.max(0, (prompt ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: completion ?? 0,
    reasoningTokens: countIn(fieldsOf(raw["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
    raw,
  });
}
