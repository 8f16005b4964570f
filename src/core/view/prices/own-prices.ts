import { localize } from "../../base/localize.ts";
import { isFields } from "../../base/lenient.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { BilledUnit, Price } from "./prices.ts";

/** The user's prices by model name, as in requests. They take precedence over the built-in prices. */
export type OwnPrices = Readonly<Record<string, Price>>;

/** Returns the expected content of a price file, to follow "expected: " in a message. */
export const describeExpectedPrices = (): string =>
  localize(
    'an object of models and their US dollars per million tokens, or per second, minute, image, page, or search, or per million characters, e.g. { "my-model": { "input": 0.5, "cachedInput": 0.05, "output": 2 }, "my-voice": { "minute": 0.01 } }',
  );

/** Returns the user's prices, or undefined if any value is invalid. */
export function readPrices(value: unknown): OwnPrices | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const prices: [string, Price][] = [];
  for (const [model, written] of Object.entries(value)) {
    const price = readPrice(written);
    if (price === undefined) return undefined;
    prices.push([model, price]);
  }
  return Object.fromEntries(prices);
}

const TOKENS = new Set(["input", "output", "cachedInput"]);
/** The names in a price file, with the unit that each is a price for. */
const UNITS: Readonly<Record<string, readonly [unit: BilledUnit, factor: number]>> = {
  second: ["second", 1],
  minute: ["second", 60],
  image: ["image", 1],
  character: ["character", 1],
  page: ["page", 1],
  search: ["search", 1],
};

/** Reads prices of tokens, of units, or of both. Prices of tokens need "input" and "output". */
function readPrice(value: unknown): Price | undefined {
  if (!isFields(value)) return undefined;
  const units: Partial<Record<BilledUnit, number>> = {};
  for (const [name, price] of Object.entries(value)) {
    if (!isPrice(price)) return undefined;
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
    if (unit !== undefined) units[unit[0]] = price / unit[1];
    else if (!TOKENS.has(name)) return undefined;
  }
  const { input, output, cachedInput } = value as Partial<Record<string, number>>;
  const hasTokens = input !== undefined && output !== undefined;
  const hasPart = (input ?? output ?? cachedInput) !== undefined;
  const hasUnits = Object.keys(units).length > 0;
  if (hasTokens !== hasPart || !(hasTokens || hasUnits)) return undefined;
  return { ...pickDefined({ input, output, cachedInput }), ...(hasUnits && { units }) };
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
