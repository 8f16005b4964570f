import type { RecordingReplacement, StoreChange, StoreReader, WatchedStore } from "../core/cassette/store.ts";
import {
  createRecordingAddress,
  byAddress,
  findFreeNumber,
  getRecordingAddress,
} from "../core/cassette/address.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import type { Key } from "../core/call/call.ts";
import { createNoSuchRecordingError, createPlaceTaken } from "./folder/failures.ts";
import { createListeners } from "../core/call/listeners.ts";

interface StoredTake {
  readonly address: RecordingAddress;
  readonly recording: Recording;
}

/** Keeps recordings in memory, for tests and for programs that store them elsewhere. */
export function createMemoryStore(): WatchedStore {
  const recordings = new Map<string, StoredTake>();
  const listeners = createListeners<StoreChange>();

  const find = (entry: string): Recording => {
    const found = recordings.get(entry);
    if (found === undefined) throw createNoSuchRecordingError(entry);
    return found.recording;
  };
  const put = (...changes: readonly Pick<RecordingReplacement, "entry" | "recording">[]): void => {
    const taken = changes.map(({ entry, recording }) => ({
      address: getRecordingAddress(entry, recording),
      recording,
    }));
    for (const take of taken) recordings.set(take.address.entry, take);
    for (const { entry } of changes) listeners.notify({ entry });
  };
  const takes = (provider: string, key: Key): readonly RecordingAddress[] =>
    addresses(recordings, (address) => address.key === key && address.provider === provider);

  return {
    takes,
    read: (async (entry: string, purpose?: "replay") =>
      purpose === "replay" ? recordings.get(entry)?.recording : find(entry)) as StoreReader,
    list: async () => addresses(recordings),
    async save(recording, number) {
      const { provider, key } = recording;
      const address = createRecordingAddress(provider, key, findFreeNumber(takes(provider, key), number));
      put({ entry: address.entry, recording });
      return address;
    },
    hashContent: () => undefined,
    async replace(entry, recording, _since, together = []) {
      put({ entry, recording }, ...together);
    },
    async remove(entry) {
      const recording = find(entry);
      recordings.delete(entry);
      listeners.notify({ entry });
      return {
        entry,
        async restore() {
          if (recordings.has(entry)) throw createPlaceTaken(entry);
          put({ entry, recording });
        },
      };
    },
    watch: (listener) => listeners.add(listener),
  };
}

function addresses(
  recordings: ReadonlyMap<string, StoredTake>,
  filter: (address: RecordingAddress) => boolean = () => true,
): RecordingAddress[] {
  const found: RecordingAddress[] = [];
  for (const { address } of recordings.values()) if (filter(address)) found.push(address);
  return found.sort(byAddress);
}
