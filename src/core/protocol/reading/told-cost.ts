import { countIn, fieldsOf, type Fields } from "./lenient.ts";

/** xAI counts in ticks, so that small amounts keep their digits. */
const TICKS_A_DOLLAR = 10_000_000_000;

/**
 * US dollars that the provider says a call took. Where a user's own key pays the model's maker, OpenRouter's `cost` is
 * its fee alone. Sources: openrouter.ai/docs/use-cases/usage-accounting, docs.x.ai/developers/cost-tracking, 2026-11.
 */
export function toldCost(usage: Fields): number | undefined {
  const ticks = countIn(usage["cost_in_usd_ticks"]);
  if (ticks !== undefined) return ticks / TICKS_A_DOLLAR;
  const cost = countIn(usage["cost"]);
  if (cost === undefined || usage["is_byok"] !== true) return cost;
  return cost + (countIn(fieldsOf(usage["cost_details"])["upstream_inference_cost"]) ?? 0);
}
