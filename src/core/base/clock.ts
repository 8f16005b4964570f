/** The engine's source of time, passed in so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The same moment as ISO 8601, UTC. */
  date(): string;
  /** Monotonic milliseconds from an arbitrary start. */
  ticks(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
