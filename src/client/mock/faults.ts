import { chatError, invalid, statusError, type ChatError } from "../errors.ts";
import { seededRandom } from "../surroundings.ts";

/** What goes wrong with one call. Parts and events count from 0. */
export type Fault =
  /** Waits before the event `at`, or before the first one. */
  | { readonly kind: "delay"; readonly ms: number; readonly at?: number }
  /** Fails before, instead of or after the event `at` (default 0, before). */
  | {
      readonly kind: "error";
      readonly error: Error;
      readonly at?: number;
      readonly when?: "before" | "instead" | "after";
    }
  /** Ends after so many events, without saying so. */
  | { readonly kind: "cut"; readonly after: number }
  /** Tells the events in another order. */
  | { readonly kind: "reorder" }
  /** Answers with nothing at all. */
  | { readonly kind: "empty" };

/** What goes wrong with which call (from 1); undefined where nothing does. */
export type FaultPlan = (call: number) => Fault | readonly Fault[] | undefined;

/** The provider has had enough for now. */
export function rateLimited(retryAfterMs: number): Fault {
  return { kind: "error", error: rateLimitError(retryAfterMs) };
}

function rateLimitError(retryAfterMs: number): ChatError {
  if (!(retryAfterMs >= 0))
    throw invalid("retryAfterMs", `milliseconds from 0 on are expected, got ${retryAfterMs}`);
  return statusError(429, "Rate limit exceeded", { retryAfterMs });
}

/** The provider is down. */
export function unavailable(status = 503): Fault {
  return { kind: "error", error: statusError(status, "Service temporarily unavailable") };
}

/** The connection breaks before the event `at`. */
export function disconnected(at = 0): Fault {
  return { kind: "error", at, error: chatError("connection", "The connection was lost.") };
}

/** The n-th fault for the n-th call, and none after the last. */
export function faultsInOrder(faults: readonly (Fault | readonly Fault[] | undefined)[]): FaultPlan {
  const kept = [...faults];
  return (call) => kept[call - 1];
}

/**
 * One of the faults for some of the calls, by chance: one generator for all calls, so that the same seed gives the same
 * faults in the same order.
 */
export function randomFaults(options: {
  /** From 0 to 1. */
  readonly probability: number;
  readonly faults: readonly Fault[];
  readonly seed: number;
}): FaultPlan {
  const { probability, faults, seed } = options;
  if (!(probability >= 0 && probability <= 1))
    throw invalid("probability", `a number from 0 to 1 is expected, got ${probability}`);
  if (faults.length === 0) throw invalid("faults", "there is no fault to draw from");
  const random = seededRandom(seed);
  return () => (random() < probability ? faults[Math.floor(random() * faults.length)] : undefined);
}
