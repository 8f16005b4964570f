import type { Surroundings } from "../../surroundings.ts";
import type { ReadUsage } from "../../wire/completions.ts";
import type { CallTokens, TokenBudget } from "./budget.ts";
import type { TokenCounter } from "./token-counter.ts";

type Told = ReadUsage | undefined;

/** What the calls of one client come to: counted into its budget, and told in the log. */
export interface Accounting {
  /** What the provider tells, or our own estimate where it tells nothing. */
  count(told: Told, messages: readonly unknown[], text: string): void;
  /** The same of a stream, whose estimate is logged as OpenManus does: the input first, then what was written. */
  countStream(told: Told, messages: readonly unknown[], text: string): void;
}

export function createAccounting(
  budget: TokenBudget,
  counter: TokenCounter,
  log: Surroundings["log"],
): Accounting {
  const info = (message: string): void => log({ level: "info", message });
  const estimated = (messages: readonly unknown[], text: string): CallTokens => ({
    input: counter.countMessageTokens(messages),
    completion: counter.countText(text),
    estimated: true,
  });
  const logUsage = (input: number, completion: number, allCompletion: number): void => {
    const all = budget.totals.input;
    const parts = [
      `Input=${input}, Completion=${completion}`,
      `Cumulative Input=${all}, Cumulative Completion=${allCompletion}`,
      `Total=${input + completion}, Cumulative Total=${all + allCompletion}`,
    ];
    info(`Token usage: ${parts.join(", ")}`);
  };
  const count: Accounting["count"] = (told, messages, text) => {
    const tokens: CallTokens =
      told === undefined
        ? estimated(messages, text)
        : { input: told.promptTokens, completion: told.completionTokens, estimated: false };
    budget.add(tokens);
    logUsage(tokens.input, tokens.completion, budget.totals.completion);
  };
  return {
    count,
    countStream(told, messages, text) {
      if (told !== undefined) return count(told, messages, text);
      const tokens = estimated(messages, text);
      const before = budget.totals.completion;
      budget.add(tokens);
      logUsage(tokens.input, 0, before);
      info(`Estimated completion tokens for streaming response: ${tokens.completion}`);
    },
  };
}
