import { expectClient, expectOptions } from "./check-options.ts";
import type { ChatClient } from "./chat-client.ts";
import { requestObject } from "./check-request.ts";
import { asChatError, cancelled, type ChatError, invalid } from "./errors.ts";
import type { StreamEvent } from "./reply.ts";
import type { ChatRequest } from "./request.ts";
import { realSurroundings, type Surroundings } from "./surroundings.ts";

export interface RetryOptions {
  readonly surroundings?: Surroundings;
  /** Called before each further try. */
  readonly onRetry?: ((error: ChatError, failed: number, waitMs: number) => void) | undefined;
}

/**
 * Retries failed calls that can succeed later. A stream is retried only before its first event. The final error is the
 * last one, with the number of `tries`.
 */
export function retrying(
  inner: ChatClient,
  policy: RetryPolicy | RetryPolicyName = "standard",
  options: RetryOptions = {},
): ChatClient {
  expectClient(inner);
  expectOptions(options, { surroundings: true, onRetry: true });
  const chosen = retryPolicy(policy);
  const { surroundings = realSurroundings(), onRetry } = options;
  const patience = (signal: AbortSignal | undefined): Patience =>
    createPatience(chosen, { surroundings, onRetry, signal });
  return {
    provider: inner.provider,
    model: inner.model,
    async complete(request) {
      requestObject(request);
      return patiently(() => inner.complete(request), patience(request.signal));
    },
    async *stream(request) {
      requestObject(request);
      yield* streamAgain(inner, request, patience(request.signal));
    },
    close: async () => inner.close?.(),
  };
}

/**
 * Runs a task with a retry policy. A cancellation ends it immediately.
 * @throws ChatError the last failure, with the number of `tries`
 */
export async function retryTask<T>(
  task: () => Promise<T>,
  policy: RetryPolicy | RetryPolicyName,
  {
    surroundings = realSurroundings(),
    signal,
  }: { surroundings?: Surroundings; signal?: AbortSignal | undefined },
): Promise<T> {
  return patiently(task, createPatience(retryPolicy(policy), { surroundings, signal }));
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

async function* streamAgain(
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

/** State of a policy during one call. */
interface Patience {
  /** Waits for the next try. @throws the error if there is none, or "cancelled" while waiting */
  bear(thrown: unknown): Promise<void>;
  /** Adds the number of tries to an error. */
  giveUp(thrown: unknown): ChatError;
}

interface RetrySettings extends RetryOptions {
  readonly surroundings: Surroundings;
  readonly signal?: AbortSignal | undefined;
}

function createPatience(policy: RetryPolicy, { surroundings, onRetry, signal }: RetrySettings): Patience {
  const begun = surroundings.now();
  let tries = 0;
  const withTries = (error: ChatError): ChatError => Object.assign(error, { tries });
  return {
    giveUp(thrown) {
      tries += 1;
      return withTries(asChatError(thrown));
    },
    async bear(thrown) {
      tries += 1;
      const error = asChatError(thrown);
      if (signal?.aborted) throw error.kind === "cancelled" ? error : cancelled(signal.reason);
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

/** Number of tries, the failures to retry, and the delays between tries. */
export interface RetryPolicy {
  /** Total number, including the first try. */
  readonly tries: number;
  /** Milliseconds to wait after `failed` tries. A longer `retry-after` of the provider wins. */
  readonly waitMs: (failed: number, random: () => number) => number;
  readonly retries: (error: ChatError) => boolean;
  /** Maximum time of all tries. No try starts if its delay exceeds the rest. */
  readonly totalMs?: number;
}

/** Returns a random delay from 1 s to 1, 2, 4, 8, 16 … s, at most 60 s. */
function drawWaitMs(failed: number, random: () => number): number {
  const longest = Math.min(60_000, 1000 * 2 ** (failed - 1));
  return 1000 + random() * (longest - 1000);
}

const always = (waitMs: number) => (): number => waitMs;
const isConnection = ({ kind }: ChatError): boolean => kind === "connection" || kind === "timeout";
const mayPass = ({ retryable }: ChatError): boolean => retryable;

/** Policies of the five systems by name, and the default "standard". */
export const RETRY_POLICIES = {
  /** 3 tries, random delays up to 0.5 and 1 s, for retryable errors. */
  standard: { tries: 3, waitMs: (failed, random) => random() * 500 * 2 ** (failed - 1), retries: mayPass },
  /** 6 tries, only for connection errors and timeouts. */
  metagpt: { tries: 6, waitMs: drawWaitMs, retries: isConnection },
  /** 6 tries for retryable errors: not for token limits, invalid requests, and invalid keys. */
  openmanus: { tries: 6, waitMs: drawWaitMs, retries: mayPass },
  /** Like openmanus, and also for empty answers. */
  openmanusWithEmpty: {
    tries: 6,
    waitMs: drawWaitMs,
    retries: (error) => mayPass(error) || error.kind === "empty",
  },
  /** 10 tries, 30 s between them, 600 s in all. */
  miroflowOpenAI: { tries: 10, waitMs: always(30_000), retries: mayPass, totalMs: 600_000 },
  /** 5 tries, 10 s between them, 600 s in all. */
  miroflowAnthropic: { tries: 5, waitMs: always(10_000), retries: mayPass, totalMs: 600_000 },
  /** AgentScope does not retry. */
  agentscope: { tries: 1, waitMs: always(0), retries: mayPass },
} as const satisfies Readonly<Record<string, RetryPolicy>>;

export type RetryPolicyName = keyof typeof RETRY_POLICIES;

/** Returns a policy by name, or checks a custom one. @throws ChatError "validation" for fewer than one try */
function retryPolicy(policy: RetryPolicy | RetryPolicyName): RetryPolicy {
  if (typeof policy !== "object" || policy === null) {
    const found = Object.hasOwn(RETRY_POLICIES, policy) ? RETRY_POLICIES[policy] : undefined;
    if (found !== undefined) return found;
    throw invalid("policy", `"${policy}" is none of ${Object.keys(RETRY_POLICIES).join(", ")}`);
  }
  if (!Number.isSafeInteger(policy.tries) || policy.tries < 1)
    throw invalid("policy.tries", `a whole number from 1 on is expected, got ${policy.tries}`);
  if (policy.totalMs !== undefined && !(policy.totalMs > 0))
    throw invalid("policy.totalMs", `milliseconds above 0 are expected, got ${policy.totalMs}`);
  return policy;
}
