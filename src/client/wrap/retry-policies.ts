import { invalid, type ChatError } from "../errors.ts";

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
  agentscope: { tries: 1, waitMs: always(0), retries: () => false },
} as const satisfies Readonly<Record<string, RetryPolicy>>;

export type RetryPolicyName = keyof typeof RETRY_POLICIES;

/** A policy by its name, or one's own. @throws ChatError "validation" for fewer than one try. */
export function retryPolicy(policy: RetryPolicy | RetryPolicyName): RetryPolicy {
  if (typeof policy !== "object") {
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
