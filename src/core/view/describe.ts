import { protocolOf } from "../match/read-request.ts";
import { recordedCost } from "./prices/price-of.ts";
import type { Recording } from "../cassette/recording.ts";
import { pickDefined } from "../base/pick-defined.ts";
import type { Conversation, Projection, RequestFacts, Thread } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { operationRequest, type DescribedRequest } from "../match/read-request.ts";
import type { OwnPrices } from "./prices/own-prices.ts";
import type { RecordedCost } from "../call/spending.ts";

/** The neutral reading of a request. */
export interface RequestView {
  readonly facts: RequestFacts;
  readonly conversation: Conversation;
}

export interface ReplyView {
  readonly recording: Recording;
  readonly projection: Projection;
  /** What it took when it was made; undefined where no prices were asked for, or nothing was paid by tokens. */
  readonly cost?: RecordedCost;
}

/** Everything a person needs to see of a recording. Computed, never stored. */
export interface RecordingView extends RequestView, ReplyView {
  /** Where the provider holds the conversation. */
  readonly thread?: Thread;
}

/** @throws TapedeckError where the body is not what its operation takes. */
export function describeRequest(
  described: DescribedRequest,
  providers: ProviderTable,
  request = operationRequest(described),
): RequestView {
  const protocol = protocolOf(described, providers);
  return { facts: protocol.facts(request), conversation: protocol.conversation(request) };
}

/** `prices` go before the built-in ones; without them, which may be empty, no cost is told. @throws as `describeRequest`. */
export function describeRecording(
  recording: Recording,
  providers: ProviderTable,
  prices?: OwnPrices,
): RecordingView {
  const request = operationRequest(recording);
  const asked = describeRequest(recording, providers, request);
  const reply = describeReply(recording, providers, { prices, model: asked.facts.model });
  const thread = protocolOf(recording, providers).thread?.(request, recording.reply);
  return { ...reply, ...asked, ...pickDefined({ thread }) };
}

/** The same without a look at the request, which may be megabytes long; `model`: where the recording names none. */
export function describeReply(
  recording: Recording,
  providers: ProviderTable,
  { prices, model }: { readonly prices?: OwnPrices | undefined; readonly model?: string | undefined },
): ReplyView {
  const projection = protocolOf(recording, providers).project(recording.reply);
  const answered = {
    projection,
    model: recording.model ?? model,
    upstream: providers.get(recording.provider)?.upstream,
  };
  const cost = prices && recordedCost(answered, prices);
  return { recording, projection, ...pickDefined({ cost }) };
}
