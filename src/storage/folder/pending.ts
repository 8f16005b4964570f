import type { Recording } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";

/** Work that nobody waits for until the end. */
export interface Pending {
  /** Gives the work back. */
  add<T>(work: Promise<T>): Promise<T>;
  /** Resolves when all of it is done, however it ended: that is its caller's to hear of. */
  settled(): Promise<void>;
}

export function createPending(): Pending {
  const under = new Set<Promise<unknown>>();
  return {
    add(work) {
      under.add(work);
      const over = (): void => void under.delete(work);
      work.then(over, over);
      return work;
    },
    async settled() {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}

/** Notes recordings that were written. */
interface WriteNotes {
  noteWritten(entry: string, recording: Recording): void;
}

/**
 * A store whose writes are among what is pending: who ends in the middle of one leaves a temporary file behind. What was
 * written is noted. `below` is an object without a prototype of its own.
 */
export function awaitedStore<T extends CassetteStore>(below: T, pending: Pending, notes: WriteNotes): T {
  const save: T["save"] = async (recording, number) => {
    const address = await below.save(recording, number);
    notes.noteWritten(address.entry, recording);
    return address;
  };
  const replace: T["replace"] = async (entry, recording, since) => {
    await below.replace(entry, recording, since);
    notes.noteWritten(entry, recording);
  };
  return {
    ...below,
    save: (recording, number) => pending.add(save(recording, number)),
    replace: (entry, recording, since) => pending.add(replace(entry, recording, since)),
  };
}
