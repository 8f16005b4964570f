import type { Recording, RecordedReply, RecordingAddress } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import type { Disposable, Key } from "../core/exchange.ts";
import { inPortions } from "../core/portions.ts";
import { createKeyTable, type Known } from "./key-table.ts";

/** Which recordings answer which keys, by their contents. */
export interface KeyIndex extends Disposable {
  /** What answers a key as far as it was read: those named otherwise by age, then those named by it, in order. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** Reads what is new or changed: everything at first, later only where something may have changed. */
  settle(provider: string, key: Key): Promise<void> | undefined;
  keyOf(entry: string): Key | undefined;
  /** The entry is read again before it counts again. */
  changed(entry: string): void;
  isVerified(entry: string, reply: RecordedReply): boolean;
  /** Takes in what was just read, and the reply that the store below remembers of it. Gives its key. */
  verified(entry: string, recording: Recording, reply: RecordedReply | undefined): Key;
}

/** `onReady` is told when all was read for the first time. */
export function createKeyIndex(
  below: CassetteStore,
  keyOf: (recording: Recording) => Key,
  onReady: () => void,
): KeyIndex {
  const { known, learn, ...table } = createKeyTable();
  const replies = new WeakMap<RecordedReply, string>();
  const changed = new Set<string>();
  let isComplete = false;
  let isOutdated = true;
  let catchingUp: Promise<void> | undefined;

  const outdate = (entries: Iterable<string>): void => {
    isOutdated = true;
    for (const entry of entries) changed.add(entry);
  };
  // Where what changed is not told, everything may have.
  const watching = below.watch(({ entry }) => outdate(entry === undefined ? known.keys() : [entry]));
  const readInto = async (address: RecordingAddress): Promise<void> => {
    changed.delete(address.entry);
    learn(await knownAt(address, below, keyOf));
  };
  const catchUp = async (): Promise<void> => {
    isOutdated = false;
    const addresses = await below.list();
    table.keepOnly(new Set(addresses.map(({ entry }) => entry)));
    const fresh = addresses.filter(({ entry }) => !known.has(entry) || changed.has(entry));
    // Not after the reading, during which more may change.
    changed.clear();
    await inPortions(fresh, readInto);
    if (!isComplete) onReady();
    isComplete = true;
  };
  return {
    takes: (provider, key) => (isComplete ? table.takes(provider, key) : below.takes(provider, key)),
    settle(provider, key) {
      const hasNew = below.takesLately(provider, key).some(({ entry }) => !known.has(entry));
      if (isComplete && !isOutdated && !hasNew && table.takes(provider, key).length > 0) return undefined;
      // One after the other, so that whoever waits sees all that was there when it asked.
      const next = (catchingUp ?? Promise.resolve()).then(catchUp);
      catchingUp = next.catch(() => void (isOutdated = true));
      return next;
    },
    keyOf: (entry) => known.get(entry)?.key,
    changed: (entry) => outdate([entry]),
    isVerified: (entry, reply) => replies.get(reply) === entry && known.has(entry),
    verified(entry, recording, reply) {
      const key = keyOf(recording);
      if (table.update(entry, key, recording.recordedAt) && reply !== undefined) replies.set(reply, entry);
      return key;
    },
    dispose: () => watching.dispose(),
  };
}

async function knownAt(
  address: RecordingAddress,
  below: CassetteStore,
  keyOf: (recording: Recording) => Key,
): Promise<Known> {
  try {
    const recording = await below.read(address.entry);
    return { address, key: keyOf(recording), recordedAt: recording.recordedAt };
  } catch {
    // A broken recording answers by its name, so that its call says what is wrong with it.
    return { address, key: address.key, recordedAt: "" };
  }
}
