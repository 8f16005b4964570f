import type { ChatClient } from "../chat-client.ts";
import { addUsage, NO_USAGE, type StreamEvent, type Usage } from "../reply.ts";
import { wrapClient } from "./wrap-client.ts";

/** What was used so far. */
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
export function tallied(inner: ChatClient, onUsage?: (usage: Usage | undefined) => void): TalliedClient {
  const counter = createCounter();
  const note = (usage: Usage | undefined): void => {
    counter.answered(usage);
    onUsage?.(usage);
  };
  const wrapped = wrapClient(inner, {
    async complete(request) {
      const reply = await inner.complete(request).catch((error: unknown) => {
        counter.failed();
        throw error;
      });
      note(reply.usage);
      return reply;
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      let usage: Usage | undefined;
      let finished = false;
      try {
        for await (const event of inner.stream(request)) {
          if (event.type === "usage") usage = event.usage;
          finished ||= event.type === "finish";
          yield event;
        }
      } finally {
        if (finished) note(usage);
        else counter.failed();
      }
    },
  });
  return { ...wrapped, tally: counter.tally, reset: counter.reset };
}

interface Counter {
  readonly answered: (usage: Usage | undefined) => void;
  readonly failed: () => void;
  readonly tally: () => Tally;
  readonly reset: () => Tally;
}

function createCounter(): Counter {
  let calls: readonly (Usage | undefined)[] = [];
  let failed = 0;
  const tally = (): Tally => {
    const known = calls.filter((usage) => usage !== undefined);
    const total = Object.freeze(known.reduce(addUsage, NO_USAGE));
    return Object.freeze({ total, calls: Object.freeze([...calls]), failed });
  };
  return {
    tally,
    answered: (usage) => (calls = [...calls, usage]),
    failed: () => (failed += 1),
    reset() {
      const before = tally();
      calls = [];
      failed = 0;
      return before;
    },
  };
}
