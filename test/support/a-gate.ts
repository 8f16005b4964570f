/** Chunks that the test lets out one by one. */
export function aGate() {
  const queue: (string | undefined)[] = [];
  let wake = (): void => {};
  async function* read(): AsyncGenerator<string> {
    while (true) {
      if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const next = queue.shift();
      if (next === undefined) return;
      yield next;
    }
  }
  const put = (...chunks: readonly (string | undefined)[]): void => {
    queue.push(...chunks);
    wake();
  };
  return {
    chunks: read(),
    send: (...chunks: readonly string[]) => put(...chunks),
    end: () => put(undefined),
  };
}

/** Waits until something is so, turn by turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
