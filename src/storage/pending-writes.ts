import type { CassetteStore } from "../core/cassette/store.ts";

/** A store whose writes can be waited for: who ends in the middle of one leaves a temporary file behind. */
export interface AwaitedStore extends CassetteStore {
  /** Resolves when nothing is being written. Never rejects: how a write ended is its caller's to hear of. */
  written(): Promise<void>;
}

/** `below` is an object without a prototype of its own. */
export function awaitedStore(below: CassetteStore): AwaitedStore {
  const writing = new Set<Promise<unknown>>();
  const noted = <T>(write: Promise<T>): Promise<T> => {
    writing.add(write);
    const over = (): void => void writing.delete(write);
    write.then(over, over);
    return write;
  };
  return {
    ...below,
    save: (recording) => noted(below.save(recording)),
    replace: (entry, recording, since) => noted(below.replace(entry, recording, since)),
    async written() {
      while (writing.size > 0) await Promise.allSettled(writing);
    },
  };
}
