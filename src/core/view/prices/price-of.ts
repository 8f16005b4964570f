import type { ReportedUsage, Projection } from "../../protocol/base/protocol.ts";
import { PRICES, type Price } from "./prices.ts";
import { isLoopback } from "../../protocol/upstream-address.ts";
import type { OwnPrices } from "./own-prices.ts";
import type { RecordedCost } from "../../call/spending.ts";

/** What a model's tokens cost; undefined where nobody said. */
export function priceOf(model: string, own: OwnPrices = {}): Price | undefined {
  return ownPriceOf(model, own) ?? builtIn.get(plainName(model));
}

function ownPriceOf(model: string, own: OwnPrices): Price | undefined {
  if (Object.hasOwn(own, model)) return own[model];
  const names = Object.keys(own);
  if (names.length === 0) return undefined;
  const name = plainName(model);
  const owned = names.find((one) => plainName(one) === name);
  return owned === undefined ? undefined : own[owned];
}

/**
 * US dollars that an answer took: by the user's own price, else as the provider says, else by list prices. Undefined
 * where nobody said.
 */
export function costOfAnswer(
  usage: ReportedUsage,
  model: string | undefined,
  own: OwnPrices,
): number | undefined {
  const owned = model === undefined ? undefined : ownPriceOf(model, own);
  if (owned !== undefined) return costOf(usage, owned);
  if (usage.costUsd !== undefined) return usage.costUsd;
  const listed = model === undefined ? undefined : builtIn.get(plainName(model));
  return listed && costOf(usage, listed);
}

/** US dollars. */
export function costOf(usage: ReportedUsage, price: Price): number {
  const { inputTokens = 0, outputTokens = 0 } = usage;
  const { input, output } = price.long !== undefined && inputTokens > price.long.tokens ? price.long : price;
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  // A long prompt's cached part has no price of its own here: it is counted as the rest.
  const cachedPrice = input === price.input ? (price.cachedInput ?? input) : input;
  return ((inputTokens - cached) * input + cached * cachedPrice + outputTokens * output) / 1_000_000;
}

/** Dates, versions and aliases at the end of a model's name, as OpenAI, Anthropic, Google and Bedrock write them. */
const VERSION = /(?:-\d{4}-\d\d-\d\d|[-@]\d{8}|-\d{4}|-00\d|-latest|-v\d+(?::\d+)?|-\d:\d)$/;
/** Where a gateway or a cloud says whose model it is: "openai/", "models/", "us.anthropic.". */
const OWNER =
  /^(?:.*\/)?(?:(?:[a-z-]+\.)?(?:amazon|anthropic|cohere|deepseek|google|meta|mistral|moonshotai|openai|qwen)\.)?/;

/** A model's name as every provider that sells it would write it. */
function plainName(model: string): string {
  let name = model.toLowerCase().replace(OWNER, "");
  for (let shorter = name.replace(VERSION, ""); shorter !== name; shorter = name.replace(VERSION, ""))
    name = shorter;
  return name.replaceAll(".", "-");
}

const builtIn = new Map(PRICES.flatMap((row) => row.models.map((model) => [plainName(model), row] as const)));

export interface PricedReply {
  readonly projection: Pick<Projection, "usage" | "model">;
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
  { projection, model, upstream }: PricedReply,
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
