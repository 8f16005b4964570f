import { readProtocolRequest } from "../../match/read-request.ts";
import type { Exchange } from "../../match/read-request.ts";
import type { ConversationMessage, ProtocolRequest, ReportedUsage } from "../../protocol/base/protocol.ts";
import { readReplyCounts } from "../../protocol/base/counts.ts";
import { countBilledUnits } from "../../view/prices/billed-units.ts";
import { computeCostOfAnswer } from "../../view/prices/price-of.ts";
import { ONE_CALL, type Spending } from "../../call/spending.ts";
import type { OwnPrices } from "../../view/prices/own-prices.ts";
import { isPaid, isPaidLater } from "./unknown-price.ts";

/** An answer as far as it came. */
export interface ReceivedReply {
  readonly status: number;
  readonly contentType?: string;
  /** Empty where it was too long to be kept. */
  readonly body: Uint8Array;
  readonly sizeBytes: number;
}

/** The parts of a call that determine its cost. */
export type ChargedExchange = Pick<Exchange, "call" | "provider" | "protocol" | "facts">;

/** Characters of text a token, roughly. */
const CHARACTERS_A_TOKEN = 4;

/**
 * Returns the spending of a call. If the provider does not report tokens, units are counted, or tokens are estimated from the
 * texts. Failures count as free.
 */
export function computeCharge(exchange: ChargedExchange, answered: ReceivedReply, own: OwnPrices): Spending {
  if (answered.status < 200 || answered.status >= 300) return ONE_CALL;
  const { protocol } = exchange;
  const counts = readReplyCounts(protocol, answered);
  const reported = counts.usage && isReported(counts.usage) ? counts.usage : undefined;
  const hasTokens = (reported?.inputTokens ?? 0) + (reported?.outputTokens ?? 0) > 0;
  const request = (): ProtocolRequest => readProtocolRequest(exchange);
  const units = hasTokens ? undefined : countBilledUnits(protocol.operation, request, answered);
  const usage = reported ?? (units ? {} : estimate(exchange, answered));
  const { inputTokens = 0, outputTokens = 0 } = usage;
  const model = exchange.facts.model ?? counts.model;
  // A session of audio has neither texts nor, if its server reports none, tokens.
  const isUncounted = reported === undefined && units === undefined && inputTokens + outputTokens === 0;
  const cost = isUncounted ? undefined : computeCostOfAnswer({ ...usage, units }, model, own);
  const isUsed = inputTokens + outputTokens > 0 || (reported === undefined && isPaid(exchange));
  const isEstimated = reported === undefined && isUsed && units?.isEstimated !== false;
  return {
    calls: 1,
    inputTokens,
    outputTokens,
    costUsd: cost ?? 0,
    unpricedCalls: cost === undefined && isUsed ? 1 : 0,
    estimatedCalls: isEstimated ? 1 : 0,
  };
}

function isReported({ inputTokens, outputTokens, costUsd }: ReportedUsage): boolean {
  return (inputTokens ?? outputTokens ?? costUsd) !== undefined;
}

function estimate(exchange: ChargedExchange, answered: ReceivedReply): ReportedUsage {
  // Most operations without a model, such as listing files, are not paid, and others are not paid by tokens.
  const { protocol, facts } = exchange;
  if (facts.model === undefined || isPaidLater(protocol.operation) || !isPaid(exchange)) return {};
  const { body, sizeBytes } = answered;
  const replied = body.byteLength < sizeBytes ? sizeBytes : lengthOf(protocol.project(answered).messages);
  const requested = protocol.conversation(readProtocolRequest(exchange)).messages;
  return { inputTokens: tokens(lengthOf(requested)), outputTokens: tokens(replied) };
}

function lengthOf(messages: readonly ConversationMessage[]): number {
  let length = 0;
  for (const { parts } of messages)
    for (const part of parts) {
      if ("text" in part) length += part.text.length;
      if ("arguments" in part) length += part.arguments.length;
    }
  return length;
}

const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_A_TOKEN);
