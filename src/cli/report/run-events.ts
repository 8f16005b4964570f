import type { CallEvent, Miss } from "../../core/call.ts";

/** A call of a run as its report needs it: of a miss, all but its request. */
export interface RunEvent extends Omit<CallEvent, "miss"> {
  readonly miss?: Omit<Miss, "request">;
}

/** What is kept of a call until its run is over. Requests are long, and a run may miss thousands of them. */
export function runEventOf({ miss, ...event }: CallEvent): RunEvent {
  const told = miss && { ...miss, request: undefined };
  // A copy: a short text that was cut out of a long one keeps all of that.
  return structuredClone({ ...event, ...(told && { miss: told }) });
}
