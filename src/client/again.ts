import { realSurroundings, type Surroundings } from "./surroundings.ts";
import { createPatience } from "./wrap/retry.ts";
import { retryPolicy, type RetryPolicy, type RetryPolicyName } from "./wrap/retry-policies.ts";

/**
 * Runs any task under a retry policy, as `retrying` does with a client's calls: the last failure itself comes out,
 * with `tries`, and a cancellation ends it at once.
 * @throws ChatError
 */
export async function again<T>(
  task: () => Promise<T>,
  policy: RetryPolicy | RetryPolicyName,
  { surroundings = realSurroundings(), signal }: { surroundings?: Surroundings; signal?: AbortSignal },
): Promise<T> {
  const patience = createPatience(retryPolicy(policy), { surroundings, ...(signal && { signal }) });
  for (;;) {
    try {
      return await task();
    } catch (thrown) {
      await patience.bear(thrown);
    }
  }
}
