import { readProtocolRequest } from "../../match/read-request.ts";
import type { Exchange } from "../../match/read-request.ts";
import type { ConversationMessage, ProtocolRequest, ReportedUsage } from "../../protocol/base/protocol.ts";
import { chooseFraming, cutBody } from "../../base/wire/framing.ts";
import { decodeText, joinBytes } from "../../base/wire/text.ts";
import { countBilledUnits } from "../../view/prices/billed-units.ts";
import { computeCostOfAnswer } from "../../view/prices/price-of.ts";
import { ONE_CALL, type Spending } from "../../call/spending.ts";
import { pickDefined } from "../../base/pick-defined.ts";
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
export type Charged = Pick<Exchange, "call" | "provider" | "protocol" | "facts">;

/** Characters of text a token, roughly. */
const CHARACTERS_A_TOKEN = 4;

/**
 * Returns the spending of a call. If the provider does not report tokens, units are counted, or tokens are estimated from the
 * texts. Failures count as free.
 */
export function computeCharge(exchange: Charged, answered: ReceivedReply, own: OwnPrices): Spending {
  if (answered.status < 200 || answered.status >= 300) return ONE_CALL;
  const { protocol } = exchange;
  const told = usageInStream(exchange, answered) ?? usageIn(exchange, answered);
  const hasTokens = (told.usage?.inputTokens ?? 0) + (told.usage?.outputTokens ?? 0) > 0;
  const request = (): ProtocolRequest => readProtocolRequest(exchange);
  const units = hasTokens ? undefined : countBilledUnits(protocol.operation, request, answered);
  const usage = told.usage ?? (units ? {} : estimate(exchange, told.length, answered));
  const { inputTokens = 0, outputTokens = 0 } = usage;
  const model = exchange.facts.model ?? told.model;
  // A session of audio has neither texts nor, if its server reports none, tokens.
  const isUncounted = told.usage === undefined && units === undefined && inputTokens + outputTokens === 0;
  const cost = isUncounted ? undefined : computeCostOfAnswer({ ...usage, units }, model, own);
  const isUsed = inputTokens + outputTokens > 0 || (told.usage === undefined && isPaid(exchange));
  const isEstimated = told.usage === undefined && isUsed && units?.isEstimated !== false;
  return {
    calls: 1,
    inputTokens,
    outputTokens,
    costUsd: cost ?? 0,
    unpricedCalls: cost === undefined && isUsed ? 1 : 0,
    estimatedCalls: isEstimated ? 1 : 0,
  };
}

interface UsageFacts {
  readonly usage?: ReportedUsage;
  readonly model?: string;
  /** Characters of the answer. */
  readonly length: number;
}

/** Matches each event that reports tokens or a cost. */
const COUNTS = /(?:okens|ount|cost|ticks)"\s*:\s*\d/;
/** Matches each piece of an answer in a stream of chat completions, whose servers report counts only on request. */
const CHAT_TEXT = /"(?:content|reasoning(?:_content)?|refusal|arguments)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/**
 * Reads only the events of a stream that report counts. Undefined if there are none and the answer has to be read to estimate
 * them, or if another event has the model.
 */
function usageInStream(exchange: Charged, { body, ...answered }: ReceivedReply): UsageFacts | undefined {
  const framing = chooseFraming(answered.contentType);
  const isText = framing === "events" || framing === "lines";
  if (!isText || exchange.facts.model === undefined) return undefined;
  const text = decodeText(body);
  if (!COUNTS.test(text)) {
    if (exchange.protocol.operation !== "chat.completions") return undefined;
    let length = 0;
    for (const [, piece = ""] of text.matchAll(CHAT_TEXT)) length += piece.length;
    return { length };
  }
  const counts = cutBody(body, framing).filter((event) => COUNTS.test(decodeText(event)));
  const told = usageIn(exchange, { ...answered, body: joinBytes(counts) });
  return told.usage && told;
}

function usageIn({ protocol }: Charged, { status, contentType, body }: ReceivedReply): UsageFacts {
  const { usage, model, messages } = protocol.project({ status, body, ...pickDefined({ contentType }) });
  const isTold = (usage?.inputTokens ?? usage?.outputTokens ?? usage?.costUsd) !== undefined;
  return { length: lengthOf(messages), ...(isTold && usage && { usage }), ...pickDefined({ model }) };
}

function estimate(exchange: Charged, length: number, answered: ReceivedReply): ReportedUsage {
  // Most operations without a model, such as listing files, are not paid, and others are not paid by tokens.
  const isLater = isPaidLater(exchange.protocol.operation);
  if (exchange.facts.model === undefined || isLater || !isPaid(exchange)) return {};
  const { body, sizeBytes } = answered;
  const said = body.byteLength < sizeBytes ? sizeBytes : length;
  const asked = exchange.protocol.conversation(readProtocolRequest(exchange)).messages;
  return { inputTokens: tokens(lengthOf(asked)), outputTokens: tokens(said) };
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
