import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { cancelled, chatError, type ChatError, invalid, statusError } from "../errors.ts";
import { completing } from "../merge-pieces.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { realSurroundings, seededRandom, type Surroundings } from "../surroundings.ts";

export interface ChaosOptions {
  readonly plan: FaultPlan;
  /** For the order that "reorder" gives. Default 0. */
  readonly seed?: number;
  readonly surroundings?: Surroundings;
}

/**
 * Any client, with faults. Whole answers suffer what streams do: a cut one fails as a connection that broke, one out of
 * order as an answer that cannot be read, unless the indices of its pieces put it right.
 */
export function chaosClient(inner: ChatClient, options: ChaosOptions): ChatClient {
  const { plan, seed = 0, surroundings = realSurroundings() } = options;
  const random = seededRandom(seed);
  let calls = 0;
  const stream = async function* (request: ChatRequest): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const planned = plan(++calls);
    const faults = planned === undefined ? [] : [planned].flat();
    const events = arranged(inner.stream(request), faults, random);
    let index = 0;
    for await (const event of events) {
      await delays(faults, index, { surroundings, signal: request.signal });
      failAt(faults, index, "before");
      if (faults.some((fault) => fault.kind === "cut" && index >= fault.after)) return;
      yield event;
      failAt(faults, index, "after");
      index += 1;
    }
    const late = faults.find((fault) => fault.kind === "error" && (fault.at ?? 0) >= index);
    if (late?.kind === "error") throw late.error;
  };
  return {
    provider: inner.provider,
    model: inner.model,
    stream,
    complete: completing(stream),
    ...(inner.close && { close: () => inner.close?.() ?? Promise.resolve() }),
  };
}

async function* arranged(
  events: AsyncIterable<StreamEvent>,
  faults: readonly Fault[],
  random: () => number,
): AsyncGenerator<StreamEvent, void, undefined> {
  if (faults.some(({ kind }) => kind === "empty")) {
    yield { type: "start" };
    yield { type: "finish", reason: "stop" };
    return;
  }
  if (!faults.some(({ kind }) => kind === "reorder")) {
    yield* events;
    return;
  }
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  // Drawn in turn, but never the order that it was.
  for (let left = all.length - 1; left > 0; left -= 1) {
    const other = Math.floor(random() * left);
    const [a, b] = [all[left], all[other]];
    if (a !== undefined && b !== undefined) [all[left], all[other]] = [b, a];
  }
  yield* all;
}

function failAt(faults: readonly Fault[], index: number, now: "before" | "after"): void {
  for (const fault of faults) {
    if (fault.kind !== "error" || (fault.at ?? 0) !== index) continue;
    if ((fault.when === "after") === (now === "after")) throw fault.error;
  }
}

async function delays(
  faults: readonly Fault[],
  index: number,
  { surroundings, signal }: { readonly surroundings: Surroundings; readonly signal: AbortSignal | undefined },
): Promise<void> {
  for (const fault of faults) {
    if (fault.kind !== "delay" || (fault.at ?? 0) !== index) continue;
    if (!(fault.ms >= 0))
      throw chatError("validation", `A delay of ${fault.ms} ms is none.`, { where: "fault.ms" });
    await surroundings.sleep(fault.ms, signal);
  }
  if (signal?.aborted === true) throw cancelled(signal.reason);
}

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
  | { readonly kind: "reorder" }
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

export function unavailable(status = 503): Fault {
  return { kind: "error", error: statusError(status, "Service temporarily unavailable") };
}

/** The connection breaks before the event `at`. */
export function disconnected(at = 0): Fault {
  return { kind: "error", at, error: chatError("connection", "The connection was lost.") };
}

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
