import type { ChatClient } from "../chat-client.ts";
import { expectFunction } from "../check-options.ts";
import { addUsage, NO_USAGE, type Usage } from "../reply.ts";
import { watchedClient } from "./wrap-client.ts";

export interface Tally {
  readonly total: Usage;
  /** Of each answered call in order; undefined where the provider did not say. */
  readonly calls: readonly (Usage | undefined)[];
  /** Calls that failed, or were left before their end. */
  readonly failed: number;
}

export interface TalliedClient extends ChatClient {
  /** As it stands now; it does not change afterwards. */
  tally(): Tally;
  /** Begins again at nothing, and gives what there was. */
  reset(): Tally;
}

/** Counts what the calls use: each answered call once, whatever was tried inside. */
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
