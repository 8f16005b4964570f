import type { ChatClient } from "../chat-client.ts";
import { chatError, type ChatError } from "../errors.ts";
import { createMerger } from "../merge-pieces.ts";
import type { Message } from "../message.ts";
import type { StreamEvent } from "../reply.ts";
import { wrapClient } from "./wrap-client.ts";

/**
 * Treats an empty answer as a failure: one without parts, or with only thoughts and white space.
 * @throws ChatError "empty", which a retry policy can retry
 */
export function refusingEmpty(inner: ChatClient): ChatClient {
  return wrapClient(inner, {
    async complete(request) {
      const reply = await inner.complete(request);
      if (isEmpty(reply.message)) throw Object.assign(emptyAnswer(inner.provider), { reply });
      return reply;
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const merger = createMerger();
      for await (const event of inner.stream(request)) {
        merger.add(event);
        if (event.type === "finish" && isEmpty(merger.message())) throw emptyAnswer(inner.provider);
        yield event;
      }
    },
  });
}

function isEmpty({ parts }: Message): boolean {
  return parts.every((part) => part.type === "thinking" || (part.type === "text" && part.text.trim() === ""));
}

function emptyAnswer(provider: string): ChatError {
  return chatError("empty", `${provider} returned an empty answer.`, {
    provider,
    hint: "Retry the call, or raise the limit of output tokens.",
  });
}
