import type { ChatClient } from "../chat-client.ts";

/** A client with other ways to answer; its names and its connections stay the inner one's. */
export function wrapClient(inner: ChatClient, ways: Pick<ChatClient, "complete" | "stream">): ChatClient {
  return {
    provider: inner.provider,
    model: inner.model,
    complete: (request) => ways.complete(request),
    stream: (request) => ways.stream(request),
    close: async () => inner.close?.(),
  };
}
