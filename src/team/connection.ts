import { explain } from "../core/errors.ts";
import { faultOf } from "../remote/failures.ts";
import type { ObjectStore } from "../remote/object-store.ts";

/** A team cache that may fail at any moment without failing a run. */
export interface Connection {
  /**
   * Does something with the cache. Undefined if it fails, or failed a short while ago. Never rejects; each failure is
   * reported once.
   */
  ask<T>(work: (store: ObjectStore) => Promise<T>): Promise<T | undefined>;
  /** Why it is not used at the moment. */
  readonly trouble: string | undefined;
  close(): Promise<void>;
}

interface ConnectionParts {
  readonly open: () => Promise<ObjectStore>;
  readonly warn: (message: string) => void;
  /** Milliseconds that never go back. */
  readonly ticks: () => number;
}

/** Time for which a cache that failed is left alone. */
const RETRY_MS = 30_000;

export function createConnection({ open, warn, ticks }: ConnectionParts): Connection {
  let opened: Promise<ObjectStore> | undefined;
  let failed: { readonly why: string; readonly retryAt: number } | undefined;
  return {
    get trouble() {
      return failed?.why;
    },
    async ask(work) {
      if (failed !== undefined && ticks() < failed.retryAt) return undefined;
      try {
        const result = await work(await (opened ??= open()));
        failed = undefined;
        return result;
      } catch (error) {
        const fault = faultOf(error);
        const why = explain(error);
        // Only a person can correct an address or a right.
        const retryAt = fault === "wrong" ? Number.POSITIVE_INFINITY : ticks() + RETRY_MS;
        if (fault !== "object") failed = { why, retryAt };
        warn(why);
        return undefined;
      }
    },
    async close() {
      await opened?.then((store) => store.close()).catch(() => {});
    },
  };
}

/** Reports of single objects are limited to what a person would read. */
const MOST_WARNINGS = 8;

/** Reports each message once, and no more than a few. */
export function warningOnce(warn: (message: string) => void): (message: string) => void {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message) || reported.size >= MOST_WARNINGS) return;
    reported.add(message);
    warn(message);
  };
}
