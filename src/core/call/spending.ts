import { joinList, localize } from "../base/localize.ts";
import { addNumbers } from "../base/add-numbers.ts";
import { groupDigits, localizeCount } from "../base/plural.ts";

/** What calls that were sent took: of one call, of a run, or of several runs. */
export interface Spending {
  /** Calls that were sent, also those that failed. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars, as providers say, by the prices of `prices.ts` or the user's own; calls of unknown price add nothing. */
  readonly costUsd: number;
  /** Calls that used tokens of a model whose price is not known. */
  readonly unpricedCalls: number;
  /** Calls whose tokens the provider did not tell: counted from the length of their texts. */
  readonly estimatedCalls: number;
}

export const NOTHING_SPENT: Spending = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpricedCalls: 0,
  estimatedCalls: 0,
};

export const ONE_CALL: Spending = { ...NOTHING_SPENT, calls: 1 };

export const addSpending = (a: Spending, b: Spending): Spending => addNumbers(NOTHING_SPENT, a, b);

export function computeDifference(from: Spending, amount: Spending): Spending {
  const negative = Object.entries(amount).map(([name, count]) => [name, -Number(count)]);
  return addSpending(from, Object.fromEntries(negative));
}

export const countTokens = ({ inputTokens, outputTokens }: Spending): number => inputTokens + outputTokens;

/** Returns `3 calls, 1,234 tokens, about $0.012`, with notes about estimates and unknown prices. */
export function formatSpending(spent: Spending): string {
  const { calls, costUsd, unpricedCalls, estimatedCalls } = spent;
  const tokens = localizeCount(countTokens(spent), "1 token", "{0} tokens");
  const parts = [
    localizeCount(calls, "{0} call", "{0} calls"),
    estimatedCalls > 0 ? localize("about {0}", tokens) : tokens,
  ];
  if (costUsd > 0) parts.push(localize("about {0}", formatDollars(costUsd)));
  if (unpricedCalls > 0) parts.push(localize("{0} of unknown price", unpricedCalls));
  return joinList(parts);
}

/** US dollars, or "unknown" if the model has no known price. */
export type RecordedCost = number | "unknown";

/** `about $0.0012`, or `cost unknown`. */
export function formatCost(cost: RecordedCost): string {
  return cost === "unknown" ? localize("cost unknown") : localize("about {0}", formatDollars(cost));
}

/** Two digits that count, and cents at least. */
export function formatDollars(amount: number): string {
  const digits = amount >= 1 || amount === 0 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(amount)));
  return `$${groupDigits(amount.toFixed(Math.max(2, digits)))}`;
}
