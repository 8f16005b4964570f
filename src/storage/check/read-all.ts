import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { type TapedeckError, handleTapedeckErrors } from "../../core/base/errors.ts";
import type { TakeOf } from "../../core/cassette/address.ts";

/** A recording as it was found: readable, or broken and why. */
export interface FoundRecording {
  readonly address: RecordingAddress;
  readonly take: TakeOf;
  /** How many recordings there are. */
  readonly all: number;
  readonly recording?: Recording;
  readonly broken?: TapedeckError;
}

/** Enough to keep the disk busy, few enough for any limit on open files. */
const AT_ONCE = 32;

/** All recordings in stable order. Broken ones are among them and hide no other. */
export async function* readAll(store: CassetteStore): AsyncGenerator<FoundRecording> {
  const addresses = await store.list();
  const takes = countTakes(addresses);
  for (let start = 0; start < addresses.length; start += AT_ONCE) {
    const batch = addresses.slice(start, start + AT_ONCE);
    yield* await Promise.all(
      batch.map(async (address) => ({
        ...(await readOne(store, address, takes.get(formatCallName(address)) ?? 1)),
        all: addresses.length,
      })),
    );
  }
}

async function readOne(
  store: CassetteStore,
  address: RecordingAddress,
  of: number,
): Promise<Omit<FoundRecording, "all">> {
  const take = { k: address.take, of: Math.max(of, address.take) };
  const read = await store.read(address.entry).then(
    (recording) => ({ recording }),
    handleTapedeckErrors((broken) => ({ broken })),
  );
  return { address, take, ...read };
}

/** How many takes there are of each call, by its `formatCallName`. */
export function countTakes(addresses: readonly RecordingAddress[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const address of addresses)
    counts.set(formatCallName(address), (counts.get(formatCallName(address)) ?? 0) + 1);
  return counts;
}

export const formatCallName = ({ provider, key }: RecordingAddress): string => `${provider} ${key}`;
