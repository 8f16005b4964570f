/** A queue between one writer and one reader: `push` never waits, reading does. */
export interface Channel {
  push(bytes: Uint8Array): void;
  /** Ends the reading after what was pushed; with an error, the reader throws it. */
  close(error?: unknown): void;
  /** Can be read once. Leaving the loop early calls `onLeave`. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export function createChannel(onLeave: () => void): Channel {
  const queue: Uint8Array[] = [];
  let end: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};

  async function* read(): AsyncGenerator<Uint8Array> {
    let finished = false;
    try {
      while (true) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else if (end === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else break;
      }
      finished = true;
      if (end?.error !== undefined) throw end.error;
    } finally {
      if (!finished) onLeave();
    }
  }

  return {
    push(bytes) {
      if (bytes.byteLength > 0) queue.push(bytes);
      wake();
    },
    close(error) {
      end ??= { error };
      wake();
    },
    bytes: read(),
  };
}
