import { asChatError, cancelled, type ChatError } from "./errors.ts";
import type { Surroundings } from "./surroundings.ts";

/** How often something is tried, how long is waited in between, and after which failures. */
export interface AgainPolicy {
  readonly tries: number;
  /** Milliseconds before the next try, after `failed` tries failed, the last one with `error`. */
  readonly waitMs: (failed: number, error: ChatError, random: () => number) => number;
  readonly retries: (error: ChatError) => boolean;
}

/** A random wait from 1 s up to 1, 2, 4, 8, 16 … s, never above 60 s; a provider that names a time is given it. */
export function jitteredBackoff(failed: number, error: ChatError, random: () => number): number {
  const upper = Math.min(60_000, 1000 * 2 ** (failed - 1));
  const wait = 1000 + random() * Math.max(0, upper - 1000);
  return Math.max(wait, error.retryAfterMs ?? 0);
}

/**
 * Tries a task until it succeeds. What is thrown at the end is the last failure itself, with `tries` saying how many
 * there were. A cancellation ends it at once, also while it waits.
 * @throws ChatError
 */
export async function again<T>(
  task: (attempt: number) => Promise<T>,
  policy: AgainPolicy,
  { surroundings, signal }: { readonly surroundings: Surroundings; readonly signal?: AbortSignal },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    if (signal?.aborted === true) throw cancelled(signal.reason);
    try {
      return await task(attempt);
    } catch (thrown) {
      const error = asChatError(thrown);
      if (error.kind === "cancelled" || attempt >= policy.tries || !policy.retries(error)) {
        throw attempt === 1 ? error : Object.assign(error, { tries: attempt });
      }
      await surroundings.sleep(
        policy.waitMs(attempt, error, () => surroundings.random()),
        signal,
      );
    }
  }
}
