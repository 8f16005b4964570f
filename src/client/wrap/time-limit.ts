import { expectOptions } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { cancelled, chatError, invalid, type ChatError } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { wrapClient } from "./wrap-client.ts";

/**
 * Aborts a call with a timeout after `limitMs` milliseconds. Inside of `retrying` the limit applies to each try, around
 * it to all tries. The whole time of a stream counts.
 */
export function timeLimited(
  inner: ChatClient,
  limitMs: number,
  options: { readonly surroundings?: Surroundings } = {},
): ChatClient {
  expectOptions(options, { surroundings: true });
  const { surroundings = realSurroundings() } = options;
  if (!(limitMs > 0)) throw invalid("limitMs", `milliseconds above 0 are expected, got ${limitMs}`);
  return wrapClient(inner, {
    async complete(request) {
      const limit = createLimit(limitMs, timerOf(surroundings), timedOut(limitMs));
      try {
        return await Promise.race([inner.complete(withSignal(request, limit)), limit.over]);
      } finally {
        limit.end();
      }
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const limit = createLimit(limitMs, timerOf(surroundings), timedOut(limitMs));
      const events = inner.stream(withSignal(request, limit))[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await Promise.race([events.next(), limit.over]);
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        limit.end();
        // Not awaited, because a stream that hangs would hang here too.
        void Promise.resolve(events.return?.()).catch(() => undefined);
      }
    },
  });
}

/** Calls `fire` after `ms` milliseconds, and returns a function that cancels it. */
export type Timer = (ms: number, fire: () => void) => () => void;

function timerOf(surroundings: Surroundings): Timer {
  return (ms, fire) => {
    const done = new AbortController();
    surroundings.sleep(ms, done.signal).then(fire, () => undefined);
    return () => done.abort();
  };
}

/** A time limit that also ends if the caller aborts. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Rejects when the time is over or the caller aborts. */
  readonly over: Promise<never>;
  /** Returns the reason for which the limit ended. */
  failure(): ChatError | undefined;
  end(): void;
}

export function createLimit(ms: number, timer: Timer, late: ChatError, outer?: AbortSignal): Limit {
  const controller = new AbortController();
  let failed: ChatError | undefined;
  let reject: (error: ChatError) => void = () => undefined;
  const over = new Promise<never>((_, rejects) => (reject = rejects));
  over.catch(() => undefined);
  const stop = (error: ChatError): void => {
    failed ??= error;
    controller.abort(error);
    reject(error);
  };
  const takeBack = timer(ms, () => stop(late));
  const leave = (): void => stop(cancelled(outer?.reason));
  if (outer?.aborted === true) leave();
  outer?.addEventListener("abort", leave);
  return {
    signal: controller.signal,
    over,
    failure: () => failed,
    end() {
      takeBack();
      outer?.removeEventListener("abort", leave);
    },
  };
}

const withSignal = (request: ChatRequest, { signal }: Limit): ChatRequest => ({
  ...request,
  signal: combineSignals(signal, request.signal),
});

function timedOut(limitMs: number): ChatError {
  return chatError("timeout", `The call took longer than ${limitMs} ms.`, {
    hint: "Raise the limit, or request a shorter answer.",
  });
}

/** Combines signals; the result aborts with the first of them. Ignores missing signals. */
export const combineSignals = (...signals: readonly (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.flatMap((signal) => signal ?? []));
