import { readProtocolRequest } from "../../match/read-request.ts";
import type { Exchange } from "../../match/read-request.ts";
import { isJsonNumber, isJsonObject, type JsonTree } from "../../base/json/json-tree.ts";
import { countBilledUnits } from "../../view/prices/billed-units.ts";
import { computeCost, computeCostOfAnswer, findPrice } from "../../view/prices/price-of.ts";
import type { OwnPrices } from "../../view/prices/own-prices.ts";

/** The maximum spending of a call, estimated from its request. */
export interface MaxCost {
  /** Input and output together. */
  readonly tokens: number;
  /** US dollars; undefined where the price of its model is not known. */
  readonly costUsd: number | undefined;
}

/** The parts of a call that limit its spending. */
export type PricedExchange = Pick<Exchange, "call" | "sent" | "provider" | "protocol" | "facts">;

/** A call that has no model is not paid by tokens: it only keeps or lists something. */
export function estimateMost(exchange: PricedExchange, own: OwnPrices): MaxCost {
  const { model } = exchange.facts;
  const { operation } = exchange.protocol;
  const units = countBilledUnits(operation, () => readProtocolRequest(exchange));
  const unitCost = units && computeCostOfAnswer({ units }, model, own);
  if (unitCost !== undefined) return { tokens: 0, costUsd: unitCost };
  if (model === undefined) return { tokens: 0, costUsd: 0 };
  const inputTokens = inputOf(exchange.sent.body);
  const outputTokens = WITHOUT_OUTPUT.test(operation) ? 0 : outputOf(exchange, model);
  const price = findPrice(model, own);
  const costUsd = price && computeCost({ inputTokens, outputTokens }, price);
  return { tokens: inputTokens + outputTokens, costUsd };
}

const WITHOUT_OUTPUT = /embed|count|moderations|rerank|tokenize|input_tokens|^models|files|batches|^caches/i;

/** Text has three to four bytes a token, JSON and other scripts fewer; the bytes of media have many more. */
const BYTES_A_TOKEN = 2;
const MEDIA_BYTES_A_TOKEN = 16;
/** Runs of base64 this long are media. */
const LONG_RUN = 1_024;

function inputOf(body: Uint8Array): number {
  let [run, mediaBytes] = [0, 0];
  const end = (): void => {
    if (run >= LONG_RUN) mediaBytes += run;
    run = 0;
  };
  for (const byte of body) {
    if (isBase64(byte)) run += 1;
    else end();
  }
  end();
  return Math.ceil((body.byteLength - mediaBytes) / BYTES_A_TOKEN + mediaBytes / MEDIA_BYTES_A_TOKEN);
}

/** Letters, digits, `+`, `/`, `-` and `_`. */
function isBase64(byte: number): boolean {
  const letter = byte | 0x20;
  const isWord = (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x2f && byte <= 0x39) || byte === 0x5f;
  return isWord || byte === 0x2b || byte === 0x2d;
}

function outputOf(exchange: PricedExchange, model: string): number {
  const { body } = readProtocolRequest(exchange);
  const tree = body.kind === "json" ? body.tree : undefined;
  return numberIn(tree, CHOICES, 1) * numberIn(tree, MOST_OUTPUT, mostOutputOf(model));
}

/** As the providers call the limit on the tokens of an answer. */
const MOST_OUTPUT = new Set(
  "max_tokens max_completion_tokens max_output_tokens max_tokens_to_sample max_gen_len maxOutputTokens maxTokens maxTokenCount num_predict".split(
    " ",
  ),
);
const CHOICES = new Set(["n", "best_of", "candidateCount", "candidate_count"]);
/** Where some of them keep such settings. */
const SETTINGS = new Set(
  "generationConfig generation_config inferenceConfig textGenerationConfig parameters options".split(" "),
);

/** The largest number under one of these names; a number that is no limit (Ollama's -1) is none. */
function numberIn(tree: JsonTree | undefined, names: ReadonlySet<string>, otherwise: number): number {
  if (tree === undefined || !isJsonObject(tree)) return otherwise;
  let largest: number | undefined;
  for (const [name, value] of tree.members) {
    const found = SETTINGS.has(name)
      ? numberIn(value, names, 0)
      : names.has(name) && isJsonNumber(value)
        ? Number(value.number)
        : 0;
    if (found > 0) largest = Math.max(largest ?? 0, found);
  }
  return largest ?? otherwise;
}

/**
 * The most tokens that models answer with where the request sets no limit. Sources: the providers' pages of models,
 * 2026-11. Those that are not named here stop at 128,000, or before.
 */
const OUTPUT_LIMITS: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/gpt-4o/, 16_384],
  [/gpt-4\.1/, 32_768],
  [/gpt-4|gpt-3\.5/, 8_192],
  [/gemini-(?:1|2\.0)/, 8_192],
  [/gemini/, 65_536],
];
const LARGEST_OUTPUT = 128_000;

function mostOutputOf(model: string): number {
  return OUTPUT_LIMITS.find(([name]) => name.test(model.toLowerCase()))?.[1] ?? LARGEST_OUTPUT;
}
