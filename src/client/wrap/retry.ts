import type { ChatClient } from "../chat-client.ts";
import { asChatError, cancelled, type ChatError } from "../errors.ts";
import type { StreamEvent } from "../part-stream.ts";
import type { ChatRequest } from "../request.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { retryPolicy, type RetryPolicy, type RetryPolicyName } from "./retry-policies.ts";
import { wrapClient } from "./wrap-client.ts";

export interface RetryOptions {
  readonly surroundings?: Surroundings;
  /** Told before each further try. */
  readonly onRetry?: (error: ChatError, failed: number, waitMs: number) => void;
}

/**
 * Asks again where it may help. A stream is begun again only while nothing of it was handed on. What fails in the end is
 * the last error itself, which then says how many `tries` there were.
 */
export function retrying(
  inner: ChatClient,
  policy: RetryPolicy | RetryPolicyName = "standard",
  options: RetryOptions = {},
): ChatClient {
  const chosen = retryPolicy(policy);
  const { surroundings = realSurroundings(), onRetry } = options;
  const patience = (signal: AbortSignal | undefined): Patience =>
    createPatience(chosen, { surroundings, ...(onRetry && { onRetry }), ...(signal && { signal }) });
  return wrapClient(inner, {
    complete: (request) => patiently(() => inner.complete(request), patience(request.signal)),
    stream: (request) => streamed(inner, request, patience(request.signal)),
  });
}

/**
 * Runs any task under a retry policy: the last failure itself comes out, with `tries`, and a cancellation ends it at once.
 * @throws ChatError
 */
export async function again<T>(
  task: () => Promise<T>,
  policy: RetryPolicy | RetryPolicyName,
  { surroundings = realSurroundings(), signal }: { surroundings?: Surroundings; signal?: AbortSignal },
): Promise<T> {
  return patiently(task, createPatience(retryPolicy(policy), { surroundings, ...(signal && { signal }) }));
}

async function patiently<T>(task: () => Promise<T>, patient: Patience): Promise<T> {
  for (;;) {
    try {
      return await task();
    } catch (thrown) {
      await patient.bear(thrown);
    }
  }
}

async function* streamed(
  inner: ChatClient,
  request: ChatRequest,
  patient: Patience,
): AsyncGenerator<StreamEvent, void, undefined> {
  for (;;) {
    let begun = false;
    try {
      for await (const event of inner.stream(request)) {
        begun = true;
        yield event;
      }
      return;
    } catch (thrown) {
      if (begun) throw patient.giveUp(thrown);
      await patient.bear(thrown);
    }
  }
}

/** What is left of a policy within one call. */
interface Patience {
  /** Waits for the next try. @throws the error where there is none, or "cancelled" while waiting. */
  bear(thrown: unknown): Promise<void>;
  /** The error with the number of tries on it. */
  giveUp(thrown: unknown): ChatError;
}

interface Setting extends RetryOptions {
  readonly surroundings: Surroundings;
  readonly signal?: AbortSignal;
}

function createPatience(policy: RetryPolicy, { surroundings, onRetry, signal }: Setting): Patience {
  const begun = surroundings.now();
  let tries = 0;
  const withTries = (error: ChatError): ChatError => Object.assign(error, { tries: Math.max(tries, 1) });
  return {
    giveUp(thrown) {
      tries += 1;
      return withTries(asChatError(thrown));
    },
    async bear(thrown) {
      tries += 1;
      const error = asChatError(thrown);
      if (signal?.aborted === true) throw error.kind === "cancelled" ? error : cancelled(signal.reason);
      if (tries >= policy.tries || !policy.retries(error)) throw withTries(error);
      const planned = policy.waitMs(tries, () => surroundings.random());
      const waitMs = Math.max(planned, error.retryAfterMs ?? 0);
      const spent = surroundings.now() - begun;
      if (policy.totalMs !== undefined && spent + waitMs >= policy.totalMs) throw withTries(error);
      onRetry?.(error, tries, waitMs);
      await surroundings.sleep(waitMs, signal);
    },
  };
}
