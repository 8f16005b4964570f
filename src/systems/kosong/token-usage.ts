import { isFields } from "../../core/base/lenient.ts";
import { showValue } from "../../client/json/plain.ts";
import { usage, type Usage } from "../../client/reply.ts";
import { validationError } from "./errors.ts";

/** The tokens of one generation. `input` and `total` are sums of the others. */
export interface TokenUsage {
  readonly inputOther: number;
  readonly output: number;
  readonly inputCacheRead: number;
  readonly inputCacheCreation: number;
  readonly input: number;
  readonly total: number;
}

export function tokenUsage(
  given: Pick<TokenUsage, "inputOther" | "output"> & Partial<TokenUsage>,
): TokenUsage {
  const { inputOther, output, inputCacheRead = 0, inputCacheCreation = 0 } = given;
  const input = inputOther + inputCacheRead + inputCacheCreation;
  return Object.freeze({
    inputOther,
    output,
    inputCacheRead,
    inputCacheCreation,
    input,
    total: input + output,
  });
}

/** Returns the written form: snake case, without the sums. */
export function dumpTokenUsage(counted: TokenUsage): Readonly<Record<string, number>> {
  return {
    input_other: counted.inputOther,
    output: counted.output,
    input_cache_read: counted.inputCacheRead,
    input_cache_creation: counted.inputCacheCreation,
  };
}

/** Reads the written form; digits in text count as numbers. @throws ChatProviderError that names the field. */
export function loadTokenUsage(value: unknown): TokenUsage {
  if (!isFields(value)) throw validationError(`Token usage must be an object, got ${showValue(value)}.`);
  const read = (field: string, missing?: number): number => {
    const given = value[field] ?? missing;
    const number = typeof given === "string" && /^\s*[+-]?\d+\s*$/.test(given) ? Number(given) : given;
    if (typeof number === "number" && Number.isSafeInteger(number)) return number;
    throw validationError(`Token usage: ${field} must be an integer, got ${showValue(given ?? null)}.`);
  };
  return tokenUsage({
    inputOther: read("input_other"),
    output: read("output"),
    inputCacheRead: read("input_cache_read", 0),
    inputCacheCreation: read("input_cache_creation", 0),
  });
}

export function usageFromTokenUsage(counted: TokenUsage): Usage {
  return usage({
    uncachedInputTokens: counted.inputOther,
    cacheReadTokens: counted.inputCacheRead,
    cacheWriteTokens: counted.inputCacheCreation,
    outputTokens: counted.output,
    raw: dumpTokenUsage(counted),
  });
}

export function tokenUsageFromUsage(counted: Usage): TokenUsage {
  return tokenUsage({
    inputOther: counted.uncachedInputTokens,
    output: counted.outputTokens,
    inputCacheRead: counted.cacheReadTokens,
    inputCacheCreation: counted.cacheWriteTokens,
  });
}
