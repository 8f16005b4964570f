import type { ChatClient } from "../chat-client.ts";
import { requestObject } from "../check-request.ts";

/** A client with other ways to answer; its names and its connections stay the inner one's. */
export function wrapClient(inner: ChatClient, ways: Pick<ChatClient, "complete" | "stream">): ChatClient {
  return {
    provider: inner.provider,
    model: inner.model,
    async complete(request) {
      requestObject(request);
      return ways.complete(request);
    },
    async *stream(request) {
      requestObject(request);
      yield* ways.stream(request);
    },
    close: async () => inner.close?.(),
  };
}
