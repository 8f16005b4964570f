import { existsSync } from "node:fs";
import type { CallEvent } from "../core/exchange.ts";
import { readLocal, writeLocal } from "../storage/local-state.ts";
import { readCandidates, writeCandidates, type Candidate } from "../storage/candidates.ts";
import { createUseNotes, joinedUsage, USAGE_NAME } from "./session-memory-model.ts";

/** What outlives the window: which recordings are not accepted yet, and when each was last used. */
export interface SessionMemory {
  candidates(): Promise<readonly Candidate[]>;
  /** The candidates changed: they are written soon. */
  candidatesChanged(): void;
  used(event: CallEvent): void;
  /** Writes what is not written yet. Failures are told to `onError`. */
  flush(): Promise<void>;
}

export interface MemoryOptions {
  /** The cassette folder. */
  readonly dir: string;
  readonly current: () => Iterable<Candidate>;
  readonly onError: (error: unknown) => void;
}

/** Many calls make one write. */
const WRITE_AFTER_MS = 1_500;

export function createSessionMemory({ dir, current, onError }: MemoryOptions): SessionMemory {
  const uses = createUseNotes();
  let isChanged = false;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    try {
      if (isChanged) {
        isChanged = false;
        await writeCandidates(dir, current());
      }
      const taken = uses.take();
      // Nothing was recorded yet: a folder only for this would be in the way.
      if (!taken || !existsSync(dir)) return;
      await writeLocal(dir, USAGE_NAME, joinedUsage(await readLocal(dir, USAGE_NAME), taken));
    } catch (error) {
      onError(error);
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  const soon = (): void => void (timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS));
  return {
    candidates: () => readCandidates(dir),
    candidatesChanged() {
      isChanged = true;
      soon();
    },
    used(event) {
      uses.note(event);
      soon();
    },
    flush,
  };
}
