import { asChatError, chatError, type ChatError } from "../../client/errors.ts";
import type { ProviderCall } from "./provider.ts";

/** Outcome of an attempt: an answer, or a request to retry. */
export type AttemptResult<T> = { readonly done: T } | { readonly again: true };

export interface TryRules {
  readonly tries: number;
  readonly waitMs: number;
  /** Logs a failure and returns whether to retry. */
  readonly onError: (error: ChatError, attempt: number, isLast: boolean) => boolean;
}

/**
 * Repeats an attempt with a fixed wait. No attempt begins that would exceed the total time.
 * @throws ChatError the last failure itself, with `tries`; or "timeout" where the time is over after an answer that would not do
 */
export async function tryAgain<T>(
  call: ProviderCall,
  rules: TryRules,
  task: (attempt: number, isLast: boolean) => Promise<AttemptResult<T>>,
): Promise<T> {
  const tries = call.limits.tries ?? rules.tries;
  const waitMs = call.limits.waitMs ?? rules.waitMs;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= tries || !holdsAnother(call, waitMs);
    let failure: ChatError | undefined;
    try {
      const tried = await task(attempt, isLast);
      if ("done" in tried) return tried.done;
    } catch (thrown) {
      failure = asChatError(thrown);
      const goesOn = failure.kind !== "cancelled" && !call.signal.aborted;
      if (!rules.onError(failure, attempt, isLast) || isLast || !goesOn) {
        throw attempt === 1 ? failure : Object.assign(failure, { tries: attempt });
      }
    }
    if (isLast) throw failure ?? chatError("timeout", "The time for all tries is over.");
    await call.surroundings.sleep(waitMs, call.signal);
  }
}

/** Whether a wait and another attempt fit into the total time. */
function holdsAnother({ limits, surroundings }: ProviderCall, waitMs: number): boolean {
  return surroundings.now() + waitMs + (limits.tryMs ?? 0) < limits.deadline;
}
