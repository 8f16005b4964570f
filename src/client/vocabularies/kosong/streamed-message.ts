import type { StreamedMessage } from "./chat-provider.ts";
import type { StreamedMessagePart } from "./parts.ts";
import type { TokenUsage } from "./token-usage.ts";

/** What is known of a stream beside its parts. */
export interface StreamFacts {
  readonly id: string | null;
  readonly usage: TokenUsage | null;
  readonly traceId: string | null;
}

/** A stream for one use: whoever passes over it again finds nothing. */
export function streamedMessage(
  parts: AsyncIterator<StreamedMessagePart>,
  facts: StreamFacts,
): StreamedMessage {
  return {
    id: facts.id,
    usage: facts.usage,
    traceId: facts.traceId,
    [Symbol.asyncIterator]: () => parts,
  };
}
