import type { ChatSettings, ThinkingEffort } from "../request.ts";

/** How many tokens an effort may spend, for providers that count instead of grading. */
const BUDGETS: Readonly<Record<Exclude<ThinkingEffort, "off">, number>> = {
  low: 1024,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

/** The tokens that may be spent on thinking; 0 where it is off. */
export function thinkingBudget(thinking: NonNullable<ChatSettings["thinking"]>): number {
  if (typeof thinking !== "string") return thinking.budgetTokens;
  return thinking === "off" ? 0 : BUDGETS[thinking];
}
