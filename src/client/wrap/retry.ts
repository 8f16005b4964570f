import { expectOptions, expectFunction } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { asChatError, cancelled, type ChatError, invalid } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { wrapClient } from "./wrap-client.ts";

export interface RetryOptions {
  readonly surroundings?: Surroundings;
  /** Told before each further try. */
  readonly onRetry?: ((error: ChatError, failed: number, waitMs: number) => void) | undefined;
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
  expectOptions(options, { surroundings: true, onRetry: true });
  const chosen = retryPolicy(policy);
  const { surroundings = realSurroundings(), onRetry } = options;
  const patience = (signal: AbortSignal | undefined): Patience =>
    createPatience(chosen, { surroundings, onRetry, signal });
  return wrapClient(inner, {
    complete: (request) => patiently(() => inner.complete(request), patience(request.signal)),
    stream: (request) => streamAgain(inner, request, patience(request.signal)),
  });
}

/**
 * Runs any task under a retry policy: the last failure itself comes out, with `tries`, and a cancellation ends it at once.
 * @throws ChatError
 */
export async function again<T>(
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

/** What is left of a policy within one call. */
interface Patience {
  /** Waits for the next try. @throws the error where there is none, or "cancelled" while waiting. */
  bear(thrown: unknown): Promise<void>;
  /** The error with the number of tries on it. */
  giveUp(thrown: unknown): ChatError;
}

interface Setting extends RetryOptions {
  readonly surroundings: Surroundings;
  readonly signal?: AbortSignal | undefined;
}

function createPatience(policy: RetryPolicy, { surroundings, onRetry, signal }: Setting): Patience {
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

/** How often a call is tried, after which failures, and how long is waited in between. */
export interface RetryPolicy {
  /** In all, the first one included. */
  readonly tries: number;
  /** Milliseconds to wait after `failed` tries. A longer `retry-after` of the provider wins. */
  readonly waitMs: (failed: number, random: () => number) => number;
  readonly retries: (error: ChatError) => boolean;
  /** For all tries together: none begins that would have to wait beyond it. */
  readonly totalMs?: number;
}

/** A random wait from 1 s up to 1, 2, 4, 8, 16 … s, never more than 60 s. */
export function jittered(failed: number, random: () => number): number {
  expectFunction(random, "random");
  const longest = Math.min(60_000, 1000 * 2 ** (failed - 1));
  return 1000 + random() * (longest - 1000);
}

const always = (waitMs: number) => (): number => waitMs;
const isConnection = ({ kind }: ChatError): boolean => kind === "connection" || kind === "timeout";
const mayPass = ({ retryable }: ChatError): boolean => retryable;

/** Each system's own policy by its name; "standard" is for who has none. */
export const RETRY_POLICIES = {
  /** 3 tries, random waits up to 0.5 and 1 s, for what can succeed later. */
  standard: { tries: 3, waitMs: (failed, random) => random() * 500 * 2 ** (failed - 1), retries: mayPass },
  /** 6 tries, for connections and timeouts alone. */
  metagpt: { tries: 6, waitMs: jittered, retries: isConnection },
  /** 6 tries, for what can succeed later: never for token limits, bad requests and bad keys. */
  openmanus: { tries: 6, waitMs: jittered, retries: mayPass },
  /** As openmanus, and for empty answers too. */
  openmanusWithEmpty: {
    tries: 6,
    waitMs: jittered,
    retries: (error) => mayPass(error) || error.kind === "empty",
  },
  /** 10 tries, 30 s between them, 600 s in all. */
  miroflowOpenAI: { tries: 10, waitMs: always(30_000), retries: mayPass, totalMs: 600_000 },
  /** 5 tries, 10 s between them, 600 s in all. */
  miroflowAnthropic: { tries: 5, waitMs: always(10_000), retries: mayPass, totalMs: 600_000 },
  /** AgentScope leaves retries to others. */
  agentscope: { tries: 1, waitMs: always(0), retries: mayPass },
} as const satisfies Readonly<Record<string, RetryPolicy>>;

export type RetryPolicyName = keyof typeof RETRY_POLICIES;

/** A policy by its name, or one's own. @throws ChatError "validation" for fewer than one try. */
export function retryPolicy(policy: RetryPolicy | RetryPolicyName): RetryPolicy {
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
