import { addressOf, readEntry } from "../../core/cassette/address.ts";
import type { Key } from "../../core/call.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { RecordingFile } from "./put-recording.ts";

/** What came from a team and is on its way to the disk. It answers already: it can be had again. */
export interface Arrivals {
  /** The takes of a key that are on their way; none where they are written. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  file(entry: string): RecordingFile | undefined;
  /** Takes in all takes of a key. Resolves once they may answer. */
  add(provider: string, key: Key, files: readonly RecordingFile[]): Promise<void>;
  /** Resolves once everything that came before is written. */
  written(): Promise<void>;
}

const NONE: readonly RecordingAddress[] = [];

/** `write` never rejects. */
export function createArrivals(write: (file: RecordingFile) => Promise<void>): Arrivals {
  const byKey = new Map<string, readonly RecordingAddress[]>();
  const files = new Map<string, RecordingFile>();
  const writing = new Set<Promise<void>>();
  const writeAll = async (name: string, all: readonly RecordingFile[]): Promise<void> => {
    // The first take last: where that is, all are.
    for (const file of all.toReversed()) await write(file);
    for (const { entry } of all) files.delete(entry);
    byKey.delete(name);
  };
  return {
    takes: (provider, key) => byKey.get(`${provider} ${key}`) ?? NONE,
    file: (entry) => files.get(entry),
    async add(provider, key, all) {
      if (all.length === 0) return;
      const name = `${provider} ${key}`;
      byKey.set(
        name,
        all.map(({ entry }) => takeAt(entry, provider, key)),
      );
      for (const file of all) files.set(file.entry, file);
      const written = writeAll(name, all).finally(() => writing.delete(written));
      writing.add(written);
    },
    async written() {
      await Promise.all(writing);
    },
  };
}

function takeAt(entry: string, provider: string, key: Key): RecordingAddress {
  const address = readEntry(entry);
  return addressOf(provider, key, "take" in address ? address.take : 1);
}
