import type {
  RecordingReplacement,
  StoreReader,
  CassetteStore,
  WatchedStore,
} from "../core/cassette/store.ts";
import {
  createRecordingAddress,
  byAddress,
  findFreeNumber,
  getRecordingAddress,
} from "../core/cassette/address.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { Key } from "../core/call/call.ts";

/** A store that holds new recordings until they are promoted to the store below. */
export interface StagingStore extends WatchedStore {
  /** The held recordings, in the order in which they were recorded. */
  readonly staged: readonly RecordingAddress[];
  /** Saves the held recordings in the store below. @throws TapedeckError `tapedeck_cassette`; those not written stay held. */
  promote(): Promise<readonly RecordingAddress[]>;
  /** Drops the held recordings. */
  discard(): void;
}

interface StagedRecording extends RecordingReplacement {
  readonly address: RecordingAddress;
  /** Whether it was saved as a new take, which can get another number. */
  readonly isNewTake: boolean;
}

/** Reads find held recordings first. Only `promote` writes to the store below. */
export function createStagingStore(below: WatchedStore): StagingStore {
  const held = new Map<string, StagedRecording>();
  const over = (stored: readonly RecordingAddress[], filter: (address: RecordingAddress) => boolean) => {
    const isStored = (entry: string): boolean => stored.some((address) => address.entry === entry);
    const added = [...held.values()].filter(({ entry, address }) => filter(address) && !isStored(entry));
    return [...stored, ...added.map(({ address }) => address)].sort(byAddress);
  };
  const takesOf = (provider: string, key: Key, stored: readonly RecordingAddress[]) =>
    over(stored, (address) => address.provider === provider && address.key === key);

  return {
    get staged() {
      return [...held.values()].map(({ address }) => address);
    },
    takes: (provider, key) => takesOf(provider, key, below.takes(provider, key)),
    read: (async (entry: string, purpose?: "replay") =>
      held.get(entry)?.recording ?? below.read(entry, purpose)) as StoreReader,
    list: async () => over(await below.list(), () => true),
    async save(recording, number) {
      const { provider, key } = recording;
      const takes = takesOf(provider, key, below.takes(provider, key));
      const address = createRecordingAddress(provider, key, findFreeNumber(takes, number));
      held.set(address.entry, { entry: address.entry, address, recording, isNewTake: true });
      return address;
    },
    hashContent: (entry) => below.hashContent(entry),
    async replace(entry, recording, since, together = []) {
      const changes = [{ entry, recording, since }, ...together].map((change) => {
        const before = held.get(change.entry);
        return {
          ...change,
          address: getRecordingAddress(change.entry, change.recording),
          isNewTake: before?.isNewTake ?? false,
          since: before?.since ?? change.since,
        };
      });
      for (const change of changes) held.set(change.entry, change);
    },
    remove: (entry) => below.remove(entry),
    watch: (listener) => below.watch(listener),
    promote: () => promote(held, below),
    discard: () => held.clear(),
  };
}

async function promote(
  held: Map<string, StagedRecording>,
  below: CassetteStore,
): Promise<readonly RecordingAddress[]> {
  const promoted: RecordingAddress[] = [];
  const [first, ...together] = [...held.values()].filter(({ isNewTake }) => !isNewTake);
  if (first !== undefined) await below.replace(first.entry, first.recording, first.since, together);
  for (const [entry, { address, recording, isNewTake }] of held) {
    promoted.push(isNewTake ? await below.save(recording, address.take) : address);
    held.delete(entry);
  }
  return promoted;
}
