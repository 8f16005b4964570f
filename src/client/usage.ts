/** Tokens of one call in one meaning for all providers; the four counts do not overlap. */
export interface Usage {
  /** Of the prompt, what neither came from a cache nor went into one. */
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** All that the model wrote, its thinking included. */
  readonly outputTokens: number;
  /** How much of the output was thinking; 0 where the provider does not say. */
  readonly reasoningTokens: number;
  /** The provider's own numbers. */
  readonly raw?: unknown;
}

export const NO_USAGE: Usage = {
  uncachedInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** A usage from what is known; the rest counts 0. */
export function usage(known: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...known };
}

/** All of the prompt. */
export function inputTokens({ uncachedInputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
}

export function totalTokens(counted: Usage): number {
  return inputTokens(counted) + counted.outputTokens;
}

/** The sum of two calls; what the providers said of each is left out. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    uncachedInputTokens: a.uncachedInputTokens + b.uncachedInputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}
