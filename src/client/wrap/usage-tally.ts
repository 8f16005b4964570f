import type { ChatClient } from "../chat-client.ts";
import { expectFunction } from "../check-options.ts";
import { addUsage, NO_USAGE, type Usage } from "../reply.ts";
import { watchedClient } from "./wrap-client.ts";

export interface Tally {
  readonly total: Usage;
  /** Usage of each answered call in order; undefined if the provider did not report it. */
  readonly calls: readonly (Usage | undefined)[];
  /** Calls that failed or were stopped early. */
  readonly failed: number;
}

export interface TalliedClient extends ChatClient {
  /** Returns an immutable snapshot. */
  tally(): Tally;
  /** Resets the counts and returns the previous ones. */
  reset(): Tally;
}

/** Counts the usage of answered calls, each once, independent of retries inside. */
export function tallied(
  inner: ChatClient,
  onUsage: (usage: Usage | undefined) => void = () => undefined,
): TalliedClient {
  let calls: readonly (Usage | undefined)[] = [];
  let failed = 0;
  const tally = (): Tally => {
    const known = calls.filter((usage) => usage !== undefined);
    const total = Object.freeze(known.reduce(addUsage, NO_USAGE));
    return Object.freeze({ total, calls: Object.freeze([...calls]), failed });
  };
  const wrapped = watchedClient(inner, () => ({
    answered(usage) {
      calls = [...calls, usage];
      onUsage(usage);
    },
    failed: () => (failed += 1),
  }));
  expectFunction(onUsage, "onUsage");
  return {
    ...wrapped,
    tally,
    reset() {
      const before = tally();
      calls = [];
      failed = 0;
      return before;
    },
  };
}
