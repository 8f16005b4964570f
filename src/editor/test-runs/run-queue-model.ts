/** Does one thing after the other. What was stopped while it waited is never begun. */
export interface RunQueue {
  /** Resolves with what the task gives; false where it was stopped before it began. */
  add(task: (stopped: AbortSignal) => Promise<boolean>): Promise<boolean>;
  /** Stops what runs and what waits. */
  stop(): void;
}

export function createRunQueue(): RunQueue {
  let last: Promise<unknown> = Promise.resolve();
  let stopping = new AbortController();
  return {
    add(task) {
      const { signal } = stopping;
      const next = last.then(() => (signal.aborted ? false : task(signal)));
      last = next.catch(() => {});
      return next;
    },
    stop() {
      stopping.abort();
      stopping = new AbortController();
    },
  };
}
