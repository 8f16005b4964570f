import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { Key } from "../core/exchange.ts";

/** A recording that was read, or could not be. */
export interface Known {
  readonly address: RecordingAddress;
  /** Under the rules; its name's for a recording that cannot be read, which answers by it to say so. */
  readonly key: Key;
  /** Empty where it could not be read. */
  readonly recordedAt: string;
}

/** Recordings by the keys that they have, wherever their names put them. */
export interface KeyTable {
  /** By entry. */
  readonly known: ReadonlyMap<string, Known>;
  /** Takes one in; what was known of its entry is forgotten. */
  readonly learn: (one: Known) => void;
  /** False for an entry that is not known. */
  readonly update: (entry: string, key: Key, recordedAt: string) => boolean;
  readonly keepOnly: (entries: ReadonlySet<string>) => void;
  /** Those named otherwise by age, then those named by the key, in order. */
  readonly takes: (provider: string, key: Key) => readonly RecordingAddress[];
}

export function createKeyTable(): KeyTable {
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
