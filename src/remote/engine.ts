/** The part of an `ObjectStore` that each engine implements: names are checked, and every operation has a time limit, in `openObjectStore`. */
export interface StorageEngine {
  get(name: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  list(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  close(): void;
  /** Turns what an operation threw into a failure in the terms of a team cache. */
  failureOf(error: unknown): unknown;
}
