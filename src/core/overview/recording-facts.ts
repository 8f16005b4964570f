import { recordedCost } from "../budget/price-of.ts";
import type { Recording } from "../cassette/recording.ts";
import { pickDefined } from "../pick-defined.ts";
import type { Projection, Usage } from "../protocol/protocol.ts";
import type { UsageTest } from "../usage/usage.ts";
import { instantOf } from "../view/age.ts";
import type { OwnPrices } from "../budget/own-prices.ts";
import type { RecordedCost } from "../budget/spending.ts";

/** What sums need of a recording: small enough to be noted for all. */
export interface RecordingFacts {
  readonly operation: string;
  /** As asked for, else as the provider said. */
  readonly model?: string;
  /** The test that made it. */
  readonly test?: UsageTest;
  /** Milliseconds since the epoch; 0 where the file does not say. */
  readonly recordedAt: number;
  readonly usage?: Pick<Usage, "inputTokens" | "outputTokens" | "cachedInputTokens" | "costUsd">;
  /** Milliseconds from the first byte of a stream to its last event, as its recording says. */
  readonly streamMs?: number;
}

export function factsOf(
  { operation, model, test, recordedAt, reply }: Recording,
  { usage, model: told }: Pick<Projection, "usage" | "model">,
): RecordingFacts {
  const known = model ?? told;
  return {
    operation,
    ...pickDefined({ model: known }),
    ...(test && { test: { file: test.file, name: test.name } }),
    recordedAt: instantOf(recordedAt) ?? 0,
    ...pickDefined({ usage }),
    ...(reply.waitsMs && { streamMs: reply.waitsMs.reduce((sum, ms) => sum + ms, 0) }),
  };
}

/** By whose prices and addresses a recorded call is valued. */
export interface Pricing {
  readonly prices: OwnPrices;
  /** A provider's address, where it has one. */
  readonly upstreamOf: (provider: string) => string | undefined;
}

/** US dollars that it took when it was made; undefined where it told of no tokens, or came from this machine. */
export function costOfFacts(
  provider: string,
  { model, usage }: RecordingFacts,
  { prices, upstreamOf }: Pricing,
): RecordedCost | undefined {
  return recordedCost({ projection: { usage }, model, upstream: upstreamOf(provider) }, prices);
}
