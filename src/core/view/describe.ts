import { createRecordingAddress, getChainName } from "../cassette/address.ts";
import { findUsedIds } from "../match/origins/used-ids.ts";
import { isReplyId, readReplyId } from "../match/origins/values.ts";
import { findProtocol } from "../match/read-request.ts";
import { countBilledUnits } from "./prices/billed-units.ts";
import { computeRecordedCost } from "./prices/price-of.ts";
import type { Recording } from "../cassette/recording.ts";
import { pickDefined } from "../base/pick-defined.ts";
import type { Conversation, Projection, RequestFacts, Thread } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { readOperationRequest, type DescribedRequest } from "../match/read-request.ts";
import type { OwnPrices } from "./prices/own-prices.ts";
import type { RecordedCost } from "../call/spending.ts";

/** A request in a form that does not depend on the provider. */
export interface RequestView {
  readonly facts: RequestFacts;
  readonly conversation: Conversation;
}

export interface ReplyView {
  readonly recording: Recording;
  readonly projection: Projection;
  /** Cost of the response when it was recorded; undefined without prices, or if tokens were not billed. */
  readonly cost?: RecordedCost;
}

/** A recording as it is shown to users. Computed, never stored. */
export interface RecordingView extends RequestView, ReplyView {
  /** Present if later calls can continue it by an id. */
  readonly thread?: Thread;
}

/** @throws TapedeckError if the body is not valid for its operation. */
export function describeRequest(
  described: DescribedRequest,
  providers: ProviderTable,
  request = readOperationRequest(described),
): RequestView {
  const protocol = findProtocol(described, providers);
  return { facts: protocol.facts(request), conversation: protocol.conversation(request) };
}

/**
 * `prices` take precedence over the built-in prices and can be empty; without them, the result has no cost.
 * @throws TapedeckError if the body is not valid for its operation.
 */
export function describeRecording(
  recording: Recording,
  providers: ProviderTable,
  prices?: OwnPrices,
): RecordingView {
  const request = readOperationRequest(recording);
  const requestView = describeRequest(recording, providers, request);
  const reply = describeReply(recording, providers, { prices, model: requestView.facts.model });
  const own = findProtocol(recording, providers).thread?.(request, recording.reply);
  const thread = followLinks(recording, own, requestView.conversation);
  return { ...reply, ...requestView, ...pickDefined({ thread }) };
}

/** Adds the links of a recording to its thread: ids change when calls are recorded again, and links do not. */
function followLinks(
  { key, request }: Recording,
  own: Thread | undefined,
  { messages }: Conversation,
): Thread | undefined {
  const links = request.values?.filter(isReplyId) ?? [];
  // A conversation that its client sends as a whole is continued by its messages.
  if (own === undefined && links.length === 0 && messages.length > 0) return undefined;
  const { needed } = findUsedIds(request, links);
  const link =
    links.find(({ text }) => text === own?.after) ?? links.findLast(({ text }) => needed.has(text));
  const after = link === undefined ? own?.after : readReplyId(link)?.last.replace(/\.\d+$/, "");
  const name = getChainName(createRecordingAddress("", key, 1).entry);
  return { ...pickDefined({ after }), ids: [...(own?.ids ?? []), name] };
}

/**
 * Describes the reply. Reads the request, which can be megabytes long, only for a cost that its reply does not have. `model` is used if the recording has
 * no model.
 */
export function describeReply(
  recording: Recording,
  providers: ProviderTable,
  { prices, model }: { readonly prices?: OwnPrices | undefined; readonly model?: string | undefined },
): ReplyView {
  const projection = findProtocol(recording, providers).project(recording.reply);
  const { operation, reply: answer } = recording;
  const answered = {
    projection,
    model: recording.model ?? model,
    upstream: providers.get(recording.provider)?.upstream,
    units: () => countBilledUnits(operation, () => readOperationRequest(recording), answer),
  };
  const cost = prices && computeRecordedCost(answered, prices);
  return { recording, projection, ...pickDefined({ cost }) };
}
