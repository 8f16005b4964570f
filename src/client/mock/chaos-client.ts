import { expectClient, expectFunction, expectList, expectOptions } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { chatError, type ChatError, invalid, statusError } from "../errors.ts";
import { createCompleting } from "../merge-pieces.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { type Fault, listFaults, withFaults } from "./faults.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";

export interface ChaosOptions {
  readonly plan: FaultPlan;
  readonly surroundings?: Surroundings;
}

/** Adds faults to any client. Whole answers have the faults of streams: a cut fails like a broken connection. */
export function chaosClient(inner: ChatClient, options: ChaosOptions): ChatClient {
  expectClient(inner);
  expectOptions(options, { plan: true, surroundings: true });
  const { plan, surroundings = realSurroundings() } = options;
  expectFunction(plan, "options.plan");
  let calls = 0;
  const stream = async function* (request: ChatRequest): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const faults = listFaults(plan(++calls), `plan(${calls})`);
    yield* withFaults(inner.stream(request), faults, {
      sleep: (ms, signal) => surroundings.sleep(ms, signal),
      signal: request.signal,
    });
  };
  return {
    provider: inner.provider,
    model: inner.model,
    stream,
    complete: createCompleting(stream),
    ...(inner.close && { close: () => inner.close?.() ?? Promise.resolve() }),
  };
}

/** Returns the faults of a call, which is counted from 1; undefined for none. */
export type FaultPlan = (call: number) => Fault | readonly Fault[] | undefined;

/** Makes a fault with status 429. */
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

/** Makes a fault that breaks the connection before the event `at`. */
export function disconnected(at = 0): Fault {
  return { kind: "error", at, error: chatError("connection", "The connection was lost.") };
}

export function faultsInOrder(faults: readonly (Fault | readonly Fault[] | undefined)[]): FaultPlan {
  expectList(faults, "faults");
  const kept = faults.map((planned, index) => listFaults(planned, `faults[${index}]`));
  return (call) => kept[call - 1];
}
