import type { ChatClient } from "../chat-client.ts";
import { chatError, invalid, type ChatError } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { wrapClient } from "./wrap-client.ts";

/**
 * Ends a call that takes longer, as a timeout, and tells the inner client to stop. Inside `retrying` it is a limit for
 * each try, around it one for all of them. A stream's whole time counts.
 */
export function timeLimited(
  inner: ChatClient,
  limitMs: number,
  { surroundings = realSurroundings() }: { readonly surroundings?: Surroundings } = {},
): ChatClient {
  if (!(limitMs > 0)) throw invalid("limitMs", `milliseconds above 0 are expected, got ${limitMs}`);
  return wrapClient(inner, {
    async complete(request) {
      const limit = createLimit(limitMs, surroundings);
      try {
        return await Promise.race([inner.complete(limit.watched(request)), limit.over]);
      } finally {
        limit.clear();
      }
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const limit = createLimit(limitMs, surroundings);
      const events = inner.stream(limit.watched(request))[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await Promise.race([events.next(), limit.over]);
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        limit.clear();
        // A stream that hangs would let its end hang too: nobody waits for it.
        void Promise.resolve(events.return?.()).catch(() => undefined);
      }
    },
  });
}

interface Limit {
  /** Rejects when the time is over. */
  readonly over: Promise<never>;
  watched(request: ChatRequest): ChatRequest;
  clear(): void;
}

function createLimit(limitMs: number, surroundings: Surroundings): Limit {
  const stop = new AbortController();
  const done = new AbortController();
  const over = surroundings.sleep(limitMs, done.signal).then((): never => {
    const error = timedOut(limitMs);
    stop.abort(error);
    throw error;
  });
  over.catch(() => undefined);
  return {
    over,
    watched: (request) => ({
      ...request,
      signal: AbortSignal.any([stop.signal, ...(request.signal ? [request.signal] : [])]),
    }),
    clear: () => done.abort(),
  };
}

function timedOut(limitMs: number): ChatError {
  return chatError("timeout", `The call took longer than ${limitMs} ms.`, {
    hint: "Give it more time, or ask for less.",
  });
}
