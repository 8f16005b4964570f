import type { CassetteStore } from "../../core/cassette/store.ts";

/** Work that nobody waits for until the end. */
export interface Pending {
  /** Gives the work back. */
  add<T>(work: Promise<T>): Promise<T>;
  /** Resolves when all of it is done, however it ended: that is its caller's to hear of. */
  settled(): Promise<void>;
}

export function createPending(): Pending {
  const under = new Set<Promise<unknown>>();
  return {
    add(work) {
      under.add(work);
      const over = (): void => void under.delete(work);
      work.then(over, over);
      return work;
    },
    async settled() {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}

/**
 * A store whose writes are among what is pending: who ends in the middle of one leaves a temporary file behind.
 * `below` is an object without a prototype of its own.
 */
export function awaitedStore<T extends CassetteStore>(below: T, pending: Pending): T {
  return {
    ...below,
    save: (recording, number) => pending.add(below.save(recording, number)),
    replace: (entry, recording, since) => pending.add(below.replace(entry, recording, since)),
  };
}
