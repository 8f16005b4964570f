import { readCount, readFields, readList, readText, isFields, type Fields } from "../../base/lenient.ts";
import type { ReportedUsage } from "./protocol.ts";

/**
 * The members in which a wire reports its counts. The counts of a list are summed. Of alternatives separated by "|", the
 * first one present counts; "a.b" is the member b of a.
 */
interface UsageNames {
  readonly input: readonly string[];
  readonly output?: readonly string[];
  readonly cached?: readonly string[];
  readonly reasoning?: readonly string[];
  /** Tokens of audio and images that have other prices: of input, and of output. A list of modalities is summed. */
  readonly media?: readonly [input: string, output: string];
  /** The total. If it is the sum of input, output, and reasoning, output does not include reasoning (xAI). */
  readonly total?: string;
}

const NAMES = {
  /** Cached tokens have other names at DeepSeek (`prompt_cache_hit_tokens`) and Moonshot (`cached_tokens`). */
  chat: {
    input: ["prompt_tokens"],
    output: ["completion_tokens"],
    cached: ["prompt_tokens_details.cached_tokens|prompt_cache_hit_tokens|cached_tokens"],
    reasoning: ["completion_tokens_details.reasoning_tokens"],
    media: ["prompt_tokens_details.audio_tokens", "completion_tokens_details.audio_tokens"],
    total: "total_tokens",
  },
  /** The newer operations of OpenAI: responses, images, speech, transcriptions, and realtime sessions. */
  responses: {
    input: ["input_tokens"],
    output: ["output_tokens"],
    cached: ["input_tokens_details.cached_tokens|input_token_details.cached_tokens"],
    reasoning: ["output_tokens_details.reasoning_tokens"],
    media: [
      "input_tokens_details.image_tokens|input_token_details.audio_tokens",
      "output_tokens_details.image_tokens|output_token_details.audio_tokens",
    ],
  },
  /** Voyage reports only `total_tokens`. */
  embeddings: { input: ["prompt_tokens|total_tokens"] },
  /** Tokens read from or written to the cache are counted apart from `input_tokens`. */
  anthropic: {
    input: ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
    output: ["output_tokens"],
    cached: ["cache_read_input_tokens"],
  },
  /** Cached tokens are counted apart, as by Anthropic. */
  bedrock: {
    input: [
      "inputTokens",
      "cacheReadInputTokens|cacheReadInputTokenCount",
      "cacheWriteInputTokens|cacheWriteInputTokenCount",
    ],
    output: ["outputTokens"],
    cached: ["cacheReadInputTokens|cacheReadInputTokenCount"],
  },
  /** `tokens` includes the tokens that Cohere adds to the prompt; `billed_units` does not. */
  cohere: {
    input: ["tokens.input_tokens|billed_units.input_tokens"],
    output: ["tokens.output_tokens|billed_units.output_tokens"],
    cached: ["cached_tokens"],
  },
  /** Together uses OpenAI's names; Cohere reports searches and tokens in `meta`. */
  rerank: { input: ["prompt_tokens|total_tokens|meta.tokens.input_tokens"] },
  /** Embeddings of texts and rankings report only `total_tokens`. */
  dashscope: {
    input: ["input_tokens|total_tokens"],
    output: ["output_tokens"],
    cached: ["input_tokens_details.cached_tokens|prompt_tokens_details.cached_tokens"],
    reasoning: ["output_tokens_details.reasoning_tokens"],
  },
  /** Thoughts and prompts of tools are counted apart from the answer and the prompt. */
  gemini: {
    input: ["promptTokenCount", "toolUsePromptTokenCount"],
    output: ["candidatesTokenCount", "responseTokenCount", "thoughtsTokenCount"],
    cached: ["cachedContentTokenCount"],
    reasoning: ["thoughtsTokenCount"],
    media: ["promptTokensDetails", "candidatesTokensDetails|responseTokensDetails"],
  },
  /** Google's interactions: thoughts and prompts of tools are counted apart. */
  interactions: {
    input: ["total_input_tokens", "total_tool_use_tokens"],
    output: ["total_output_tokens", "total_thought_tokens"],
    cached: ["total_cached_tokens"],
    reasoning: ["total_thought_tokens"],
    media: ["input_tokens_by_modality", "output_tokens_by_modality"],
  },
  /** The names of OpenAI and DashScope, or those of Google's interactions. */
  decisions: {
    input: ["input_tokens|total_input_tokens"],
    output: ["output_tokens|total_output_tokens"],
    cached: ["input_tokens_details.cached_tokens|total_cached_tokens"],
  },
  ollama: { input: ["prompt_eval_count"], output: ["eval_count"] },
} satisfies Record<string, UsageNames>;

export type UsageWire = keyof typeof NAMES;

/** Reads the token counts and the cost of a call; undefined if the reply contains neither. */
export function readReportedUsage(value: unknown, wire: UsageWire): ReportedUsage | undefined {
  if (!isFields(value)) return undefined;
  const names: UsageNames = NAMES[wire];
  const inputTokens = sumAt(value, names.input);
  const outputTokens = sumAt(value, names.output);
  const reasoningTokens = sumAt(value, names.reasoning);
  const parts = (inputTokens ?? 0) + (outputTokens ?? 0) + (reasoningTokens ?? 0);
  const isApart = outputTokens !== undefined && names.total !== undefined && value[names.total] === parts;
  const usage = {
    inputTokens,
    outputTokens: isApart ? outputTokens + (reasoningTokens ?? 0) : outputTokens,
    cachedInputTokens: sumAt(value, names.cached),
    reasoningTokens,
    mediaInputTokens: names.media && countMedia(value, names.media[0], /^audio$/i),
    mediaOutputTokens: names.media && countMedia(value, names.media[1], /^(?:audio|image)$/i),
    costUsd: reportedCost(value),
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
}

/** Returns a count, or the sum of Google's counts of these modalities. Their text, images, and video cost the same as input. */
function countMedia(fields: Fields, places: string, modalities: RegExp): number | undefined {
  for (const place of places.split("|")) {
    const value = getInner(fields, place);
    const counts = readList(value).map(readFields);
    const matching = counts.filter(({ modality }) => modalities.test(readText(modality) ?? ""));
    const count = Array.isArray(value)
      ? matching.reduce((sum, one) => sum + (readCount(one["tokenCount"] ?? one["tokens"]) ?? 0), 0)
      : readCount(value);
    if (count) return count;
  }
  return undefined;
}

function sumAt(fields: Fields, names: readonly string[] = []): number | undefined {
  const counts = names.flatMap((places) => firstAt(fields, places.split("|")) ?? []);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count);
}

const getInner = (fields: Fields, place: string): unknown =>
  place.split(".").reduce<unknown>((value, name) => readFields(value)[name], fields);

function firstAt(fields: Fields, places: readonly string[]): number | undefined {
  return places.flatMap((place) => readCount(getInner(fields, place)) ?? [])[0];
}

/** xAI's ticks per dollar. */
const TICKS_A_DOLLAR = 10_000_000_000;

/**
 * Returns the cost that the provider reports, in US dollars. If the user's own key pays the model's provider,
 * OpenRouter's `cost` is only its fee. Sources: openrouter.ai/docs/use-cases/usage-accounting, docs.x.ai/developers/cost-tracking, 2026-11.
 */
function reportedCost(usage: Fields): number | undefined {
  const ticks = readCount(usage["cost_in_usd_ticks"]);
  if (ticks !== undefined) return ticks / TICKS_A_DOLLAR;
  const cost = readCount(usage["cost"]);
  if (cost === undefined || usage["is_byok"] !== true) return cost;
  return cost + (readCount(readFields(usage["cost_details"])["upstream_inference_cost"]) ?? 0);
}
