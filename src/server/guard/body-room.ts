/** Room for the large bodies of all requests under way, so that many at once do not fill the memory. */
export interface BodyRoom {
  /** Takes room where there is some, else as soon as there is: first come, first served. */
  take(bytes: number, taken: () => void): Lease;
}

/** What one request holds or waits for. */
export interface Lease {
  readonly isTaken: boolean;
  /** Gives back what is more than this. */
  shrink(bytes: number): void;
  /** Gives all of it back, or waits no longer. May be called twice. */
  free(): void;
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
    take(bytes, taken) {
      let held = 0;
      const give = (left: number): void => {
        heldBytes -= held - left;
        held = left;
        letIn();
      };
      const wish = {
        bytes,
        take(): void {
          held = bytes;
          heldBytes += bytes;
          taken();
        },
      };
      waiting.add(wish);
      letIn();
      return {
        get isTaken() {
          return !waiting.has(wish);
        },
        shrink: (to) => give(Math.min(held, to)),
        free() {
          waiting.delete(wish);
          give(0);
        },
      };
    },
  };
}
