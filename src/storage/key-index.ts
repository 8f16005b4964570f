import type { Recording, RecordedReply, RecordingAddress } from "../core/cassette/recording.ts";
import type { Disposable, Key } from "../core/exchange.ts";
import { inPortions } from "../core/portions.ts";
import { createKeyReader, type KeyReader, type KeyReaderParts } from "./key-reader.ts";
import { createKeyTable, firstAtOf, type KeyTable } from "./key-table.ts";

/** Which recordings answer which keys, by their contents. */
export interface KeyIndex extends Disposable {
  /** What answers a key as far as it was read: those named otherwise by age, then those named by it, in order. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** Reads what is new or changed: what no note tells at first, later only where something may have changed. */
  settle(provider: string, key: Key): Promise<void> | undefined;
  /** As `settle`, for the keys of all. */
  settleAll(): Promise<void>;
  keyOf(entry: string): Key | undefined;
  /** The entry is read again before it counts again. */
  changed(entry: string): void;
  isVerified(entry: string, reply: RecordedReply): boolean;
  /** Takes in what was just read, and the reply that the store below remembers of it. Gives its key. */
  verified(entry: string, recording: Recording, reply: RecordedReply | undefined): Key;
}

export interface KeyIndexParts extends KeyReaderParts {
  /** Told when all keys are known for the first time. */
  readonly onReady: () => void;
}

export function createKeyIndex({ below, keyOf, onReady, notes }: KeyIndexParts): KeyIndex {
  const table = createKeyTable();
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
  const watching = below.watch(({ entry }) => outdate(entry === undefined ? table.known.keys() : [entry]));
  const reader = createKeyReader({ below, keyOf, ...(notes && { notes }) });
  let last: readonly RecordingAddress[] | undefined;
  const catchUp = async (): Promise<void> => {
    isOutdated = false;
    const addresses = await below.list();
    if (addresses === last && changed.size === 0) return;
    last = undefined;
    await learnAll(addresses, { table, reader, changed });
    last = addresses;
    if (isComplete) return;
    isComplete = true;
    reader.note(table.known);
    onReady();
  };
  const settleAll = (): Promise<void> => {
    // One after the other, so that whoever waits sees all that was there when it asked.
    const next = (catchingUp ?? Promise.resolve()).then(catchUp);
    catchingUp = next.catch(() => void (isOutdated = true));
    return next;
  };
  return {
    takes: (provider, key) => (isComplete ? table.takes(provider, key) : below.takes(provider, key)),
    settle(provider, key) {
      const hasNew = below.takesLately(provider, key).some(({ entry }) => !table.known.has(entry));
      if (isComplete && !isOutdated && !hasNew && table.takes(provider, key).length > 0) return undefined;
      return settleAll();
    },
    settleAll: () => (isComplete && !isOutdated ? Promise.resolve() : settleAll()),
    keyOf: (entry) => table.known.get(entry)?.key,
    changed: (entry) => outdate([entry]),
    isVerified: (entry, reply) => replies.get(reply) === entry && table.known.has(entry),
    verified(entry, recording, reply) {
      const key = keyOf(recording);
      if (table.update(entry, key, firstAtOf(recording)) && reply !== undefined) replies.set(reply, entry);
      return key;
    },
    dispose: () => watching.dispose(),
  };
}

interface Learning {
  readonly table: KeyTable;
  readonly reader: KeyReader;
  /** Entries that are looked at again. */
  readonly changed: Set<string>;
}

/** Looks at what is new or changed, and forgets what went. */
async function learnAll(
  addresses: readonly RecordingAddress[],
  { table, reader, changed }: Learning,
): Promise<void> {
  table.keepOnly(new Set(addresses.map(({ entry }) => entry)));
  const fresh = addresses.filter(({ entry }) => !table.known.has(entry) || changed.has(entry));
  // Not after the reading, during which more may change.
  changed.clear();
  await inPortions(fresh, async (address) => {
    changed.delete(address.entry);
    table.learn(await reader.read(address));
  });
}
