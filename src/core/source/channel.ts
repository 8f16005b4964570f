/** A queue between one writer and one reader: `push` never waits, reading does; `room` is for a writer that can wait. */
export interface Channel {
  push(bytes: Uint8Array): void;
  /** Undefined where the reader keeps up; else resolves when it has caught up, or left, or the channel is closed. */
  room(): Promise<void> | undefined;
  /** Nobody is going to read any more: what is pushed from now on is dropped. */
  leave(): void;
  /** Ends the reading after what was pushed; with an error, the reader throws it. */
  close(error?: unknown): void;
  /** Can be read once. Whoever leaves the loop, early or at its end, calls `onLeave`. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** So many bytes may wait for a reader before its writer does: 8 MiB. */
const WAITING_LIMIT_BYTES = 8 * 1_048_576;

export function createChannel(onLeave: () => void): Channel {
  const queue: Uint8Array[] = [];
  let end: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};
  let waitingBytes = 0;
  let isLeft = false;
  let caughtUp: () => void = () => {};
  const leave = (): void => {
    isLeft = true;
    queue.length = 0;
    caughtUp();
  };

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        const next = queue.shift();
        if (next !== undefined) {
          waitingBytes -= next.byteLength;
          if (waitingBytes <= WAITING_LIMIT_BYTES) caughtUp();
          yield next;
        } else if (end === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else break;
      }
      if (end?.error !== undefined) throw end.error;
    } finally {
      leave();
      onLeave();
    }
  }

  return {
    push(bytes) {
      if (isLeft || bytes.byteLength === 0) return;
      queue.push(bytes);
      waitingBytes += bytes.byteLength;
      wake();
    },
    room() {
      if (waitingBytes <= WAITING_LIMIT_BYTES || isLeft || end !== undefined) return undefined;
      return new Promise((resolve) => (caughtUp = resolve));
    },
    leave,
    close(error) {
      end ??= { error };
      caughtUp();
      wake();
    },
    bytes: read(),
  };
}
