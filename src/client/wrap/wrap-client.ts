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

/** Wraps a client to observe its calls. `begin` returns a callback for the usage of an answer, or rejects the call by throwing. */
export function watchClient(
  inner: ChatClient,
  begin: (request: ChatRequest) => OnAnswer | Promise<OnAnswer>,
): ChatClient {
  return wrapClient(inner, {
    async complete(request) {
      const onAnswer = await begin(request);
      const reply = await inner.complete(request);
      onAnswer(reply.usage);
      return reply;
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const onAnswer = await begin(request);
      let usage: Usage | undefined;
      for await (const event of inner.stream(request)) {
        if (event.type === "usage") usage = event.usage;
        if (event.type === "finish") onAnswer(usage);
        yield event;
      }
    },
  });
}

type OnAnswer = (usage: Usage | undefined) => void;
