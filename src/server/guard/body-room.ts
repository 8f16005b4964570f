/** Room for the large bodies of all requests under way, so that many at once do not fill the memory. */
export interface BodyRoom {
  /** Waits for room, first come, first served. `signal` gives it back, or ends the waiting, which rejects then. */
  take(bytes: number, signal: AbortSignal): Promise<Lease>;
}

/** The room of one request. */
export interface Lease {
  /** Gives back what is more than this. */
  shrink(bytes: number): void;
}

/** `limitBytes` for all together; one that wants more than that waits until it is alone. */
export function createBodyRoom(limitBytes: number): BodyRoom {
  const waiting = new Set<{ readonly bytes: number; take(): void }>();
  let heldBytes = 0;
  const letIn = (): void => {
    for (const next of waiting) {
      if (heldBytes > 0 && heldBytes + next.bytes > limitBytes) return;
      waiting.delete(next);
      next.take();
    }
  };
  return {
    take: (bytes, signal) =>
      new Promise((resolve, reject) => {
        let held = 0;
        const shrink = (left: number): void => {
          const kept = Math.min(held, left);
          heldBytes -= held - kept;
          held = kept;
          letIn();
        };
        const wish = {
          bytes,
          take(): void {
            held = bytes;
            heldBytes += bytes;
            resolve({ shrink });
          },
        };
        signal.addEventListener("abort", () => {
          waiting.delete(wish);
          shrink(0);
          reject(new Error("the client left"));
        });
        waiting.add(wish);
        letIn();
      }),
  };
}
