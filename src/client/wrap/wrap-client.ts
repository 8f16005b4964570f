import { expectClient } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { requestObject } from "../check-request.ts";
import type { ChatRequest } from "../request.ts";
import type { StreamEvent, Usage } from "../reply.ts";

/** Wraps a client with other answers. Names and connections are those of the inner client. */
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

/** Callbacks for the end of one call; one of them is called once. */
interface Watch {
  readonly answered: (usage: Usage | undefined) => void;
  /** Called if the call failed or was stopped early. */
  readonly failed?: () => void;
}

/** Wraps a client to observe its calls. `begin` can reject a call by throwing. */
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
