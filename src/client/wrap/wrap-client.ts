import { expectClient } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { requestObject } from "../check-request.ts";
import type { ChatRequest } from "../request.ts";
import type { StreamEvent, Usage } from "../reply.ts";

/** A client with other ways to answer; its names and its connections stay the inner one's. */
export function wrapClient(inner: ChatClient, ways: Pick<ChatClient, "complete" | "stream">): ChatClient {
  expectClient(inner);
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

/** What is done about one call: told once how it ended. */
interface Watch {
  readonly answered: (usage: Usage | undefined) => void;
  /** It failed, or was left before its end. */
  readonly failed?: () => void;
}

/** A client whose calls are watched; `begin` may refuse one by what it throws. */
export function watchedClient(
  inner: ChatClient,
  begin: (request: ChatRequest) => Watch | Promise<Watch>,
): ChatClient {
  return wrapClient(inner, {
    async complete(request) {
      const watch = await begin(request);
      const reply = await inner.complete(request).catch((error: unknown) => {
        watch.failed?.();
        throw error;
      });
      watch.answered(reply.usage);
      return reply;
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const watch = await begin(request);
      let usage: Usage | undefined;
      let finished = false;
      try {
        for await (const event of inner.stream(request)) {
          if (event.type === "usage") usage = event.usage;
          if (event.type === "finish") watch.answered(usage);
          finished ||= event.type === "finish";
          yield event;
        }
      } finally {
        if (!finished) watch.failed?.();
      }
    },
  });
}
