import type { ReportedUsage, Projection } from "../../protocol/base/protocol.ts";
import type { BilledUnits } from "./billed-units.ts";
import { PRICES, type Price } from "./prices.ts";
import { isLoopback } from "../../protocol/upstream-address.ts";
import type { OwnPrices } from "./own-prices.ts";
import type { RecordedCost } from "../../call/spending.ts";

/** Returns the price of a model, or undefined if it is unknown. */
export function findPrice(model: string, own: OwnPrices = {}): Price | undefined {
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

/** The usage of a call: tokens, or other units that its provider bills. */
interface BilledUsage extends ReportedUsage {
  readonly units?: BilledUnits | undefined;
}

/**
 * Returns the cost of a response in US dollars: from the user's price, from the cost that the provider reported, or
 * from list prices, in this order. Undefined if none of them is known.
 */
export function computeCostOfAnswer(
  usage: BilledUsage,
  model = usage.units?.model,
  own: OwnPrices = {},
): number | undefined {
  const owned = model === undefined ? undefined : ownPriceOf(model, own);
  if (owned !== undefined) return computeCost(usage, owned);
  if (usage.costUsd !== undefined) return usage.costUsd;
  const listed = model === undefined ? undefined : builtIn.get(plainName(model));
  return listed && computeCost(usage, listed);
}

/** Returns the cost in US dollars: of the tokens, or else of the units; undefined if the price is for others. */
export function computeCost({ units, ...usage }: BilledUsage, price: Price): number | undefined {
  const hasTokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) > 0;
  if (units === undefined || hasTokens) return computeTokenCost(usage, price);
  const unitPrice = price.units?.[units.unit];
  if (unitPrice === undefined) return undefined;
  return (unitPrice * units.count) / (units.unit === "character" ? A_MILLION : 1);
}

const A_MILLION = 1_000_000;

function computeTokenCost(usage: ReportedUsage, price: Price): number | undefined {
  const { inputTokens = 0, outputTokens = 0, mediaInputTokens = 0, mediaOutputTokens = 0 } = usage;
  const isLong = price.long !== undefined && inputTokens > price.long.tokens;
  const { input, output = 0 } = isLong ? price.long : price;
  if (input === undefined) return undefined;
  const media = price.media ?? { input, output };
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  // Cached tokens of a long prompt have no separate price, so they cost as much as the other input.
  const cachedPrice = isLong ? input : (price.cachedInput ?? input);
  const mediaInput = Math.min(mediaInputTokens, inputTokens - cached);
  const mediaOutput = Math.min(mediaOutputTokens, outputTokens);
  const inputCost =
    (inputTokens - cached - mediaInput) * input + cached * cachedPrice + mediaInput * media.input;
  return (inputCost + (outputTokens - mediaOutput) * output + mediaOutput * media.output) / A_MILLION;
}

/** Dates, versions, and aliases at the end of model names of OpenAI, Anthropic, Google, and Bedrock. */
const VERSION = /(?:-\d{4}-\d\d-\d\d|[-@]\d{8}|-\d{4}|-00\d|-latest|-v\d+(?::\d+)?|-\d:\d)$/;
/** Prefixes with which gateways and clouds name a model's provider: "openai/", "models/", "us.anthropic.". */
const OWNER =
  /^(?:.*\/)?(?:(?:[a-z-]+\.)?(?:amazon|anthropic|cohere|deepseek|google|meta|mistral|moonshotai|openai|qwen)\.)?/;

/** Returns a model's name in a form that is the same for all providers that offer it. */
function plainName(model: string): string {
  let name = model.toLowerCase().replace(OWNER, "");
  for (let shorter = name.replace(VERSION, ""); shorter !== name; shorter = name.replace(VERSION, ""))
    name = shorter;
  return name.replaceAll(".", "-");
}

const builtIn = new Map(PRICES.flatMap((row) => row.models.map((model) => [plainName(model), row] as const)));

export interface PricedReply {
  readonly projection: Pick<Projection, "usage" | "model">;
  /** The model in the request. */
  readonly model: string | undefined;
  /** The provider's URL, if it has one. */
  readonly upstream: string | undefined;
  /** Counts units of a reply without tokens. */
  readonly units?: () => BilledUnits | undefined;
}

/**
 * Returns the cost of a response when it was recorded, in the order of `computeCostOfAnswer`; "unknown" if there is no
 * price. Undefined if nothing is known to be billed, or if a model without a price ran on this machine.
 */
export function computeRecordedCost(
  { projection, model, upstream, units: countUnits }: PricedReply,
  own: OwnPrices,
): RecordedCost | undefined {
  const { usage } = projection;
  const hasTokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) > 0;
  const units = hasTokens ? undefined : countUnits?.();
  if (!hasTokens && units === undefined && usage?.costUsd === undefined) return undefined;
  const cost = computeCostOfAnswer({ ...usage, units }, model ?? projection.model, own);
  if (cost !== undefined) return cost;
  return upstream !== undefined && isLoopback(new URL(upstream).hostname) ? undefined : "unknown";
}

/**
 * Returns fields for JSON output. `costUsd` is null if the cost is unknown; the result is empty if there is no cost.
 */
export function listCostMembers(cost: RecordedCost | undefined): {
  readonly costUsd?: number | null;
  readonly costReason?: string;
} {
  if (cost === undefined) return {};
  return cost === "unknown" ? { costUsd: null, costReason: NO_PRICE } : { costUsd: cost };
}

const NO_PRICE = "no price is known for this model";
