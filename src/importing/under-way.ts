/** Works of which at most so many are under way at once. */
export interface UnderWay {
  /**
   * Begins a work as soon as there is room for it.
   * @throws what an earlier work failed with
   */
  begin(work: () => Promise<void>): Promise<void>;
  /** Resolves when all are done. @throws what the first that failed did */
  settled(): Promise<void>;
}

export function createUnderWay(most: number): UnderWay {
  const works = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failed ??= { error };
  };
  const throwFailed = async (): Promise<void> => {
    if (failed === undefined) return;
    await Promise.all(works);
    throw failed.error;
  };
  return {
    async begin(work) {
      while (works.size >= most) await Promise.race(works);
      await throwFailed();
      const one = work()
        .catch(fail)
        .finally(() => works.delete(one));
      works.add(one);
    },
    async settled() {
      await Promise.all(works);
      await throwFailed();
    },
  };
}
