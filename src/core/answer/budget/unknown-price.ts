import { joinSentences, localize, formatOption } from "../../base/localize.ts";
import { createTapedeckError, type TapedeckError } from "../../base/errors.ts";
import { formatDollars } from "../../call/spending.ts";
import type { Exchange } from "../../match/read-request.ts";
import { isHostName } from "../../protocol/model-call.ts";
import { leavesMachine } from "../../protocol/upstream-address.ts";
import { findBilledUnit } from "../../view/prices/billed-units.ts";
import type { OwnPrices } from "../../view/prices/own-prices.ts";
import { findPrice } from "../../view/prices/price-of.ts";

/** Operations that a model's price covers. Others, such as uploading files, are free or in the list below. */
const PAID =
  /^(?:chat|chat\.completions|chat\.v1|completions|fim\.completions|agents\.completions|messages|responses|responses\.compact|converse(?:-stream)?|invoke(?:-with-response-stream)?|generate|generateContent|streamGenerateContent|interactions|conversations|(?:text|multimodal)-generation(?:\.stream)?|apps\.complete(?:\.stream)?|embeddings|embed|embedContent|batchEmbedContents|rerank|decisions|classifications|ocr|caches\.create|images\.\w+|videos\.(?:create|edits|extensions|generate|remix)|audio\.(?:speech|transcriptions|translations)|realtime|live|async_invoke\.start)$/;

/** Operations that cost money later, or by other units, which no reply reports: batches, tuning, and the work of agents. */
const PAID_LATER =
  /^(?:batches\.create|messages\.batches\.create|batch_predictions\.create|fine_tuning\.(?:jobs\.create|graders\.run)|tunings\.create|tuned_models\.create|fine_tunes\.create|evals\.runs\.create|agents\.sessions\.(?:create|events\.create)|agents\.automations\.invocations\.create|sessions\.events\.create|deployments\.run|dreams\.create|triggers\.executions\.create|containers\.create|guardrails\.\w+)$/;

export const isPaidLater = (operation: string): boolean => PAID_LATER.test(operation);

type Paid = Pick<Exchange, "call" | "provider" | "protocol" | "facts">;

/** Whether a call costs money, as far as its operation is known. A provider of plain HTTP is paid for POST requests. */
export function isPaid({ call, provider, protocol, facts }: Paid): boolean {
  const { operation } = protocol;
  if (operation !== "http") return PAID.test(operation) || isPaidLater(operation);
  if (call.method !== "POST") return false;
  const isPlain = provider.dialect.name === "http" && !isHostName(provider.name);
  return facts.model !== undefined || isPlain;
}

/** Whether a call is known to cost nothing: a poll, a list, or a file. Tokens and costs that are spent do not stop it. */
export function isFree(exchange: Paid): boolean {
  const { call, protocol } = exchange;
  if (protocol.session !== undefined) return false;
  return call.method === "GET" || (protocol.operation !== "http" && !isPaid(exchange));
}

/** Providers whose replies report their cost, so that the price is known after the first reply. */
const REPORTS_COST: ReadonlySet<string> = new Set(["openrouter", "xai"]);

/**
 * Returns the failure of a call to another machine whose price is not known, under a limit of cost; undefined if it may be
 * sent. A session can name its model after it was opened.
 */
export function findUnknownPrice(
  exchange: Paid,
  own: OwnPrices,
  limitUsd: number,
): TapedeckError | undefined {
  const { provider, protocol, facts } = exchange;
  const { operation } = protocol;
  if (!leavesMachine(provider.upstream) || !isPaid(exchange) || REPORTS_COST.has(provider.name))
    return undefined;
  const billed = findBilledUnit(operation);
  const model = facts.model ?? billed?.model;
  if (model === undefined && protocol.session !== undefined) return undefined;
  const isLater = isPaidLater(operation);
  const price = model === undefined || isLater ? undefined : findPrice(model, own);
  if (price?.input !== undefined || (billed && price?.units?.[billed.unit] !== undefined)) return undefined;
  const allow = localize(
    "To send calls of unknown price, use {0}.",
    formatOption("--allow-unknown-prices", "tapedeck.limits.unknownPrices"),
  );
  const give = localize("Give its price with {0}.", formatOption("--prices FILE", "tapedeck.limits.prices"));
  return createTapedeckError(
    "tapedeck_budget",
    localize(
      "The call to {0} was not sent: the price of {1} is not known, and the cost of a run is limited to {2}.",
      provider.name,
      model ?? operation,
      formatDollars(limitUsd),
    ),
    { hint: isLater || model === undefined ? allow : joinSentences(give, allow) },
  );
}
