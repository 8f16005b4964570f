import { asChatError, type ChatError, type ChatErrorKind } from "../../errors.ts";
import type { Surroundings } from "../../surroundings.ts";
import { again } from "../../wrap/retry.ts";
import { RETRY_POLICIES } from "../../wrap/retry-policies.ts";
import type { LlmOptions } from "./asked.ts";
import type { TokenBudget } from "./budget.ts";

/** What is tried, and what a failed try is taken to be. */
export interface Trying {
  readonly signal: AbortSignal | undefined;
  /** Input tokens that a failed try is taken to have cost. */
  readonly estimate?: number;
  readonly isToolCall?: boolean;
}

/** Tries as OpenManus does, with what it says in the log of those that fail. */
export interface Attempts {
  again<T>(task: () => Promise<T>, trying: Trying): Promise<T>;
  /** Requests that cannot be sent and failures nobody foresaw are logged with the name of the method. */
  logged<T>(method: string, task: () => Promise<T>): Promise<T>;
}

/** Failures that the provider, or the way to it, is the cause of. */
const PROVIDERS_OWN: ReadonlySet<ChatErrorKind> = new Set([
  "authentication",
  "rate-limit",
  "connection",
  "timeout",
  "status",
]);

export function createAttempts(
  { tries = 6, retriesEmpty = false }: Pick<LlmOptions, "tries" | "retriesEmpty">,
  budget: TokenBudget,
  surroundings: Surroundings,
): Attempts {
  const policy = { ...RETRY_POLICIES[retriesEmpty ? "openmanusWithEmpty" : "openmanus"], tries };
  const say = (message: string): void => surroundings.log({ level: "error", message });
  const sayFailure = ({ kind, message }: ChatError, isToolCall: boolean): void => {
    if (isToolCall && PROVIDERS_OWN.has(kind)) say(`OpenAI API error: ${message}`);
    if (kind === "authentication") say("Authentication failed. Check API key.");
    else if (kind === "rate-limit") say("Rate limit exceeded. Consider increasing retry attempts.");
    else if (PROVIDERS_OWN.has(kind)) say(`API error: ${message}`);
  };
  return {
    again(task, { signal, estimate = 0, isToolCall = false }) {
      const once: typeof task = async () => {
        try {
          return await task();
        } catch (thrown) {
          const error = asChatError(thrown);
          if (estimate > 0) budget.addFailed(estimate);
          sayFailure(error, isToolCall);
          throw error;
        }
      };
      return again(once, policy, { surroundings, ...(signal && { signal }) });
    },
    async logged(method, task) {
      try {
        return await task();
      } catch (thrown) {
        const error = asChatError(thrown);
        const place = method === "ask" ? "" : ` in ${method}`;
        if (error.kind === "validation") say(`Validation error${place}: ${error.message}`);
        if (error.kind === "unknown") say(`Unexpected error in ${method}: ${error.message}`);
        throw error;
      }
    },
  };
}
