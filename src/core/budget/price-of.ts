import type { Usage } from "../protocol/protocol.ts";
import { PRICES, type Price } from "./prices.ts";

/** Prices of the user's own, by model as in requests; they go before the built-in ones. */
export type OwnPrices = Readonly<Record<string, Price>>;

/** What a model's tokens cost; undefined where nobody said. */
export function priceOf(model: string, own: OwnPrices = {}): Price | undefined {
  return ownPriceOf(model, own) ?? builtIn.get(plainName(model));
}

function ownPriceOf(model: string, own: OwnPrices): Price | undefined {
  if (Object.hasOwn(own, model)) return own[model];
  const name = plainName(model);
  const owned = Object.keys(own).find((one) => plainName(one) === name);
  return owned === undefined ? undefined : own[owned];
}

/**
 * US dollars that an answer took: by the user's own price, else as the provider says, else by list prices. Undefined
 * where nobody said.
 */
export function costOfAnswer(usage: Usage, model: string | undefined, own: OwnPrices): number | undefined {
  const owned = model === undefined ? undefined : ownPriceOf(model, own);
  if (owned !== undefined) return costOf(usage, owned);
  if (usage.costUsd !== undefined) return usage.costUsd;
  const listed = model === undefined ? undefined : priceOf(model);
  return listed && costOf(usage, listed);
}

/** US dollars. */
export function costOf(usage: Usage, price: Price): number {
  const { inputTokens = 0, outputTokens = 0 } = usage;
  const { input, output } = price.long !== undefined && inputTokens > price.long.tokens ? price.long : price;
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  // A long prompt's cached part has no price of its own here: it is counted as the rest.
  const cachedPrice = input === price.input ? (price.cachedInput ?? input) : input;
  return ((inputTokens - cached) * input + cached * cachedPrice + outputTokens * output) / 1_000_000;
}

/** Dates, versions and aliases at the end of a model's name, as OpenAI, Anthropic, Google and Bedrock write them. */
const VERSION = /(?:-\d{4}-\d\d-\d\d|[-@]\d{8}|-\d{4}|-00\d|-latest|-v\d+(?::\d+)?)$/;
/** Where a gateway or a cloud says whose model it is: "openai/", "models/", "us.anthropic.". */
const OWNER = /^(?:.*\/)?(?:(?:[a-z-]+\.)?anthropic\.)?/;

/** A model's name as every provider that sells it would write it. */
function plainName(model: string): string {
  let name = model.toLowerCase().replace(OWNER, "");
  for (let shorter = name.replace(VERSION, ""); shorter !== name; shorter = name.replace(VERSION, ""))
    name = shorter;
  return name.replaceAll(".", "-");
}

const builtIn = new Map(PRICES.flatMap((row) => row.models.map((model) => [plainName(model), row] as const)));
