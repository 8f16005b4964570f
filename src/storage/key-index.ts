import type { Recording, RecordedReply, RecordingAddress } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import type { Disposable, Key } from "../core/exchange.ts";

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

interface Known {
  readonly address: RecordingAddress;
  /** Under the rules; undefined for a recording that cannot be read, which answers by its name to say so. */
  readonly key: Key;
  readonly recordedAt: string;
}

/** How many recordings are read at once. */
const AT_ONCE = 64;

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
    await inTurns(fresh, readInto);
    changed.clear();
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
      catchingUp = next.catch(() => {});
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

async function inTurns<T>(all: readonly T[], read: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(read));
}

interface KeyTable {
  readonly known: ReadonlyMap<string, Known>;
  /** False for an entry that is not known. */
  readonly update: (entry: string, key: Key, recordedAt: string) => boolean;
  readonly keepOnly: (entries: ReadonlySet<string>) => void;
  readonly learn: (one: Known) => void;
  readonly takes: (provider: string, key: Key) => readonly RecordingAddress[];
}

function createKeyTable(): KeyTable {
  const known = new Map<string, Known>();
  const byKey = new Map<string, Map<string, Known>>();
  const forget = (entry: string): void => {
    const one = known.get(entry);
    if (one === undefined) return;
    known.delete(entry);
    byKey.get(placeOf(one.address.provider, one.key))?.delete(entry);
  };
  const learn = (one: Known): void => {
    forget(one.address.entry);
    known.set(one.address.entry, one);
    const place = placeOf(one.address.provider, one.key);
    const others = byKey.get(place);
    if (others === undefined) byKey.set(place, new Map([[one.address.entry, one]]));
    else others.set(one.address.entry, one);
  };
  const takes = (provider: string, key: Key): readonly RecordingAddress[] => {
    const found = [...(byKey.get(placeOf(provider, key))?.values() ?? [])];
    return found.sort(byAge(key)).map(({ address }) => address);
  };
  return {
    known,
    learn,
    takes,
    update(entry, key, recordedAt) {
      const address = known.get(entry)?.address;
      if (address !== undefined) learn({ address, key, recordedAt });
      return address !== undefined;
    },
    keepOnly(entries) {
      for (const entry of known.keys()) if (!entries.has(entry)) forget(entry);
    },
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

function placeOf(provider: string, key: Key): string {
  return `${provider}\n${key}`;
}

/** Those that the rules brought here come first: they were there before a call under these rules was recorded. */
function byAge(key: Key): (a: Known, b: Known) => number {
  return (a, b) => {
    const [isNamedA, isNamedB] = [a.address.key === key, b.address.key === key];
    if (isNamedA !== isNamedB) return isNamedA ? 1 : -1;
    if (isNamedA) return a.address.take - b.address.take;
    if (a.recordedAt !== b.recordedAt) return a.recordedAt < b.recordedAt ? -1 : 1;
    return a.address.entry < b.address.entry ? -1 : 1;
  };
}
