import { byAddress } from "../../core/cassette/address.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { groupBy } from "../../core/group-by.ts";

/** A recording that was read, or could not be. */
export interface Known {
  readonly address: RecordingAddress;
  /** Under the rules; its name's for a recording that cannot be read, which answers by it to say so. */
  readonly key: Key;
  /** When the first recording in its place was made; empty where it could not be read. */
  readonly firstAt: string;
}

/** Recordings by the keys that they have, wherever their names put them. */
export interface KeyTable {
  /** By entry. */
  readonly known: ReadonlyMap<string, Known>;
  /** Takes one in; what was known of its entry is forgotten. */
  readonly learn: (one: Known) => void;
  /** False for an entry that is not known. */
  readonly update: (entry: string, key: Key, firstAt: string) => boolean;
  readonly keepOnly: (entries: ReadonlySet<string>) => void;
  /** Those named otherwise by age, then those named by the key, in order. */
  readonly takes: (provider: string, key: Key) => readonly RecordingAddress[];
}

export function firstAtOf({ firstRecordedAt, recordedAt }: Recording): string {
  return firstRecordedAt ?? recordedAt;
}

export function createKeyTable(): KeyTable {
  const known = new Map<string, Known>();
  const byKey = new Map<string, Map<string, Known>>();
  const forget = (entry: string): void => {
    const one = known.get(entry);
    if (one === undefined) return;
    known.delete(entry);
    byKey.get(tableKey(one.address.provider, one.key))?.delete(entry);
  };
  const learn = (one: Known): void => {
    forget(one.address.entry);
    known.set(one.address.entry, one);
    const place = tableKey(one.address.provider, one.key);
    const others = byKey.get(place);
    if (others === undefined) byKey.set(place, new Map([[one.address.entry, one]]));
    else others.set(one.address.entry, one);
  };
  const takes = (provider: string, key: Key): readonly RecordingAddress[] => {
    const found = [...(byKey.get(tableKey(provider, key))?.values() ?? [])];
    return (found.length > 1 ? inOrder(found, key) : found).map(({ address }) => address);
  };
  return {
    known,
    learn,
    takes,
    update(entry, key, firstAt) {
      const address = known.get(entry)?.address;
      if (address !== undefined) learn({ address, key, firstAt });
      return address !== undefined;
    },
    keepOnly(entries) {
      for (const entry of known.keys()) if (!entries.has(entry)) forget(entry);
    },
  };
}

const tableKey = (provider: string, key: Key): string => `${provider}\n${key}`;

/**
 * Those that the rules brought here come first: they were there before a call under these rules was recorded. Of one
 * name, takes keep their order whatever their times say: a take is as old as the oldest from it on.
 */
function inOrder(found: readonly Known[], key: Key): readonly Known[] {
  const nameOf = ({ address }: Known): Key => address.key;
  const named = found.filter((one) => nameOf(one) === key).sort(byTake);
  const others = found.filter((one) => nameOf(one) !== key);
  const brought = groupBy(others, nameOf).flatMap(withAges);
  return [...brought.sort(byAge).map(({ one }) => one), ...named];
}

interface Aged {
  readonly one: Known;
  readonly age: number;
}

function withAges(takes: readonly Known[]): readonly Aged[] {
  let age = Number.POSITIVE_INFINITY;
  const lastFirst = takes.toSorted(byTake).reverse();
  return lastFirst.map((one) => ({ one, age: (age = Math.min(age, Date.parse(one.firstAt))) }));
}

function byAge(a: Aged, b: Aged): number {
  if (a.age !== b.age) return a.age - b.age;
  return byAddress(a.one.address, b.one.address);
}

const byTake = (a: Known, b: Known): number => a.address.take - b.address.take;
