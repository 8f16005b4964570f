import { addNumbers } from "../../core/base/add-numbers.ts";
import { usage as usageFrom, type Usage } from "../../client/reply.ts";
import { readCount, type Fields, readFields } from "../../core/base/lenient.ts";
import { readUsage } from "../../client/wire/completions.ts";

/** MiroFlow's totals. OpenAI's input includes tokens read from a cache, Anthropic's does not; `total` counts both alike. */
export interface TokenUsage {
  readonly total_input_tokens: number;
  readonly total_output_tokens: number;
  readonly total_cache_read_input_tokens: number;
  readonly total_cache_write_input_tokens: number;
}

/** Tokens of the last call, in the provider's names. */
export type LastCallTokens = Readonly<Record<string, number>>;

export interface MappedUsage {
  /** Tokens as MiroFlow counts them, which are added to the totals. */
  readonly added: TokenUsage;
  readonly lastCall: LastCallTokens;
  readonly usage: Usage;
}

export const NO_TOKENS: TokenUsage = {
  total_input_tokens: 0,
  total_output_tokens: 0,
  total_cache_read_input_tokens: 0,
  total_cache_write_input_tokens: 0,
};

export const NO_LAST_CALL: LastCallTokens = { prompt_tokens: 0, completion_tokens: 0 };

export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return addNumbers(NO_TOKENS, a, b);
}

/** Reads the usage of a response. Missing and null fields count as 0. Undefined without usage. */
export function openAiUsage(raw: unknown): MappedUsage | undefined {
  const read = readUsage(raw);
  if (read === undefined) return undefined;
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = read;
  return {
    added: {
      ...NO_TOKENS,
      total_input_tokens: promptTokens,
      total_output_tokens: completionTokens,
      total_cache_read_input_tokens: cachedTokens,
    },
    lastCall: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    usage: usageFrom({
      uncachedInputTokens: Math.max(0, promptTokens - cachedTokens),
      cacheReadTokens: cachedTokens,
      outputTokens: completionTokens,
      reasoningTokens,
      raw,
    }),
  };
}

export function anthropicUsage(raw: unknown): MappedUsage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const fields: Fields = readFields(raw);
  const input = readCount(fields["input_tokens"]) ?? 0;
  const output = readCount(fields["output_tokens"]) ?? 0;
  const written = readCount(fields["cache_creation_input_tokens"]) ?? 0;
  const read = readCount(fields["cache_read_input_tokens"]) ?? 0;
  return {
    added: {
      total_input_tokens: input,
      total_output_tokens: output,
      total_cache_read_input_tokens: read,
      total_cache_write_input_tokens: written,
    },
    lastCall: { input_tokens: input + written + read, output_tokens: output },
    usage: usageFrom({
      uncachedInputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      outputTokens: output,
      raw,
    }),
  };
}

const RULE = "-".repeat(20);
const TITLE = " Token Usage ";
const LONG_RULE = "-".repeat(2 * RULE.length + TITLE.length);

/** Returns the lines of a final summary, between rules. */
export function formatSummaryLines(counts: readonly string[]): readonly string[] {
  const pricing = "Pricing is disabled - no cost information available";
  return [`\n${RULE}${TITLE}${RULE}`, ...counts, LONG_RULE, pricing, LONG_RULE];
}

/** The totals of MiroFlow itself, the older system: with reasoning tokens, and resettable. */
export interface UsageLog {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  add(response: unknown): void;
  reset(): void;
  toString(): string;
}

const NO_LOG = { input: 0, cached: 0, output: 0, reasoning: 0 };

export function createUsageLog(provider: string, model: string): UsageLog {
  const log = {
    ...NO_LOG,
    add(response: unknown) {
      const read = readUsage(readFields(response)["usage"]);
      if (read === undefined) return;
      log.input += read.promptTokens;
      log.cached += read.cachedTokens;
      log.output += read.completionTokens;
      log.reasoning += read.reasoningTokens;
    },
    reset: () => void Object.assign(log, NO_LOG),
    toString() {
      const { input, cached, output, reasoning } = log;
      return [
        `Usage log: [${provider} | ${model}]`,
        `Total Input: ${input} (Cached: ${cached}, Uncached: ${input - cached})`,
        `Total Output: ${output} (Reasoning: ${reasoning}, Response: ${output - reasoning})`,
        `Total Tokens: ${input + output}`,
      ].join(", ");
    },
  };
  return log;
}
