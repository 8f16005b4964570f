import { type ChatError, invalid, markChatError } from "../../client/errors.ts";

/** The request would exceed the limit of input tokens of all requests together. It is never retried. */
export class TokenLimitExceeded extends Error {
  override readonly name = "TokenLimitExceeded";
}

export function createTokenLimitExceeded(text: string): TokenLimitExceeded & ChatError {
  const hint = "Raise max_input_tokens, shorten the conversation, or reset the totals.";
  return markChatError(new TokenLimitExceeded(text), "token-limit", { hint });
}

export interface CallTokens {
  readonly input: number;
  readonly completion: number;
  /** Whether they are an estimate, because the provider reported none. */
  readonly estimated: boolean;
}

export interface Totals {
  readonly input: number;
  readonly completion: number;
  /** Estimated input of failed tries. It does not count toward the limit. */
  readonly failedInput: number;
}

/** Limit and usage of one client, or of all clients that share it (a session). */
export interface TokenBudget {
  readonly maxInputTokens: number | null;
  readonly totals: Totals;
  /** Successful calls since the last reset, in order. */
  readonly calls: readonly CallTokens[];
  /** Whether a request with this number of input tokens stays within the limit, inclusive. */
  allows(needed: number): boolean;
  limitMessage(needed: number): string;
  add(call: CallTokens): void;
  addFailed(input: number): void;
  reset(): void;
}

/** Creates a budget. @throws ChatError "validation" for a limit that is not a number of tokens */
export function createBudget(
  maxInputTokens: number | null = null,
  before: { readonly input?: number; readonly completion?: number } = {},
): TokenBudget {
  if (maxInputTokens !== null && !(Number.isInteger(maxInputTokens) && maxInputTokens >= 0))
    throw invalid("max_input_tokens", `must be a whole number from 0, not ${maxInputTokens}`);
  let totals: Totals = { input: before.input ?? 0, completion: before.completion ?? 0, failedInput: 0 };
  let calls: readonly CallTokens[] = [];
  const allows = (needed: number): boolean =>
    maxInputTokens === null || totals.input + needed <= maxInputTokens;
  return {
    maxInputTokens,
    get totals() {
      return totals;
    },
    get calls() {
      return calls;
    },
    allows,
    limitMessage: (needed) =>
      allows(needed)
        ? "Token limit exceeded"
        : `Request may exceed input token limit (Current: ${totals.input}, Needed: ${needed}, Max: ${String(maxInputTokens)})`,
    add(call) {
      const { input, completion } = call;
      totals = { ...totals, input: totals.input + input, completion: totals.completion + completion };
      calls = [...calls, call];
    },
    addFailed(input) {
      totals = { ...totals, failedInput: totals.failedInput + input };
    },
    reset() {
      totals = { input: 0, completion: 0, failedInput: 0 };
      calls = [];
    },
  };
}
