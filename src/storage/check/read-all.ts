import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { type TapedeckError, handleTapedeckErrors } from "../../core/base/errors.ts";
import { formatCallName, type TakeOf } from "../../core/cassette/address.ts";
import { readFileWithStats, type WholeFile } from "../folder/read-file.ts";
import { decodeFile } from "../folder/recording-reader.ts";
import { join } from "node:path";

/** A recording as it was found: readable, or broken and why. */
export interface FoundRecording {
  readonly address: RecordingAddress;
  readonly take: TakeOf;
  /** How many recordings there are. */
  readonly all: number;
  readonly recording?: Recording;
  readonly broken?: TapedeckError;
  /** Its file, if that is in the folder that was named. */
  readonly file?: WholeFile;
}

/** Enough to keep the disk busy, few enough for any limit on open files. */
const AT_ONCE = 32;

/**
 * All recordings in stable order. Broken ones are among them and hide no other. `dir`: the folder of the store, for those
 * who need the files, too.
 */
export async function* readAll(store: CassetteStore, dir?: string): AsyncGenerator<FoundRecording> {
  const addresses = await store.list();
  const takes = countTakes(addresses);
  for (let start = 0; start < addresses.length; start += AT_ONCE) {
    const batch = addresses.slice(start, start + AT_ONCE);
    yield* await Promise.all(
      batch.map(async (address) => ({
        ...(await readOne(store, address, dir)),
        take: { k: address.take, of: Math.max(takes.get(formatCallName(address)) ?? 1, address.take) },
        all: addresses.length,
      })),
    );
  }
}

async function readOne(
  store: CassetteStore,
  address: RecordingAddress,
  dir: string | undefined,
): Promise<Omit<FoundRecording, "all" | "take">> {
  const { entry } = address;
  const file =
    dir === undefined ? undefined : await readFileWithStats(join(dir, entry)).catch(() => undefined);
  const read = async (): Promise<Recording> =>
    dir === undefined || file === undefined
      ? await store.read(entry)
      : decodeFile(file.bytes, address, { dir, scope: "all" });
  const found = await read().then(
    (recording) => ({ recording }),
    handleTapedeckErrors((broken) => ({ broken })),
  );
  return { address, ...found, ...(file && { file }) };
}

/** How many takes there are of each call, by its `formatCallName`. */
export function countTakes(addresses: readonly RecordingAddress[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const address of addresses)
    counts.set(formatCallName(address), (counts.get(formatCallName(address)) ?? 0) + 1);
  return counts;
}
