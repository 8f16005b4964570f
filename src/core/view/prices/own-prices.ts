import { localize } from "../../base/localize.ts";
import type { Price } from "./prices.ts";

/** The user's prices by model name, as in requests. They take precedence over the built-in prices. */
export type OwnPrices = Readonly<Record<string, Price>>;

/** Returns the expected content of a price file, to follow "expected: " in a message. */
export const describeExpectedPrices = (): string =>
  localize(
    'an object of models and their US dollars a million tokens, e.g. { "my-model": { "input": 0.5, "cachedInput": 0.05, "output": 2 } }',
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

function readPrice(value: unknown): Price | undefined {
  if (typeof value !== "object" || value === null || !("input" in value) || !("output" in value))
    return undefined;
  const { input, output } = value;
  const cachedInput = "cachedInput" in value ? value.cachedInput : undefined;
  if (!isPrice(input) || !isPrice(output)) return undefined;
  if (Object.keys(value).some((name) => !["input", "output", "cachedInput"].includes(name))) return undefined;
  if (cachedInput === undefined) return { input, output };
  return isPrice(cachedInput) ? { input, output, cachedInput } : undefined;
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
