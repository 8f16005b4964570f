import type { Projection } from "../protocol/protocol.ts";
import { isLoopback } from "../protocol/upstream-address.ts";
import { costOfAnswer, type OwnPrices } from "./price-of.ts";
import { dollars } from "./spending.ts";

/** US dollars, or that nobody said what the model costs. */
export type RecordedCost = number | "unknown";

export interface Answered {
  readonly projection: Projection;
  /** As it was asked for. */
  readonly model: string | undefined;
  /** The provider's address, where it has one. */
  readonly upstream: string | undefined;
}

/**
 * What an answer took when it was made: by the user's own price, as the provider said, or by list prices. Undefined
 * where it told of no tokens and no cost, or came from this machine.
 */
export function recordedCost(
  { projection, model, upstream }: Answered,
  own: OwnPrices,
): RecordedCost | undefined {
  const { usage } = projection;
  if (usage === undefined) return undefined;
  const isUsed = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) > 0;
  if (!isUsed && usage.costUsd === undefined) return undefined;
  const cost = costOfAnswer(usage, model ?? projection.model, own);
  if (cost !== undefined) return cost;
  return upstream !== undefined && isLoopback(new URL(upstream).hostname) ? undefined : "unknown";
}

/** For JSON: `costUsd` is a number, or null with the reason beside it; nothing where there was no cost to know. */
export function costMembers(cost: RecordedCost | undefined): {
  readonly costUsd?: number | null;
  readonly costReason?: string;
} {
  if (cost === undefined) return {};
  return cost === "unknown" ? { costUsd: null, costReason: NO_PRICE } : { costUsd: cost };
}

const NO_PRICE = "no price is known for this model";

/** `about $0.0012`, or `cost unknown`. */
export function costText(cost: RecordedCost): string {
  return cost === "unknown" ? "cost unknown" : `about ${dollars(cost)}`;
}
