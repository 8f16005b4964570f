/** Time as the engine sees it; given as an argument, so that tests can hold it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The same moment as ISO 8601, UTC. */
  date(): string;
  /** Milliseconds from an arbitrary start that never go back. */
  ticks(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
