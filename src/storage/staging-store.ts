import type { StoreReader, CassetteStore, WatchedStore } from "../core/cassette/store.ts";
import { createRecordingAddress, byAddress, findFreeNumber } from "../core/cassette/address.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
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

interface Staged {
  readonly address: RecordingAddress;
  readonly recording: Recording;
  /** Whether it replaces a recording below. */
  readonly replaces: boolean;
  /** The content when its call started. */
  readonly since: string | undefined;
}

/** Reads find held recordings first. Only `promote` writes to the store below. */
export function createStagingStore(below: WatchedStore): StagingStore {
  const held = new Map<string, Staged>();
  const hold = (staged: Staged): void => void held.set(staged.address.entry, staged);
  const over = (stored: readonly RecordingAddress[], wanted: (address: RecordingAddress) => boolean) => {
    const added = [...held.values()].filter(({ address, replaces }) => !replaces && wanted(address));
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
      hold({ address, recording, replaces: false, since: undefined });
      return address;
    },
    standing: (entry) => below.standing(entry),
    async replace(entry, recording, since) {
      const take = below.takes(recording.provider, recording.key).find((stored) => stored.entry === entry);
      const address =
        take ?? held.get(entry)?.address ?? createRecordingAddress(recording.provider, recording.key, 1);
      hold({ address, recording, replaces: take !== undefined, since: held.get(entry)?.since ?? since });
    },
    remove: (entry) => below.remove(entry),
    watch: (listener) => below.watch(listener),
    promote: () => promote(held, below),
    discard: () => held.clear(),
  };
}

async function promote(
  held: Map<string, Staged>,
  below: CassetteStore,
): Promise<readonly RecordingAddress[]> {
  const promoted: RecordingAddress[] = [];
  for (const [entry, { address, recording, replaces, since }] of held) {
    if (replaces) await below.replace(entry, recording, since);
    promoted.push(replaces ? address : await below.save(recording, address.take));
    held.delete(entry);
  }
  return promoted;
}
