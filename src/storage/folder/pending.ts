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
