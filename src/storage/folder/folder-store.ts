import { isNamedByRules } from "../../core/cassette/address.ts";
import { existsSync, lstatSync, type Stats } from "node:fs";
import { join, posix, resolve } from "node:path";
import type { RecordedReply, Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { NOTHING_STOOD, type RemovedRecording, type StoreChange } from "../../core/cassette/store.ts";
import { orFailure } from "./failures.ts";
import { findRecordings, type NamedByRules } from "./find-recordings.ts";
import { createListeners } from "../../core/listeners.ts";
import type { NamedStore } from "../keys/named-by-rules.ts";
import { createRecordingReader, type DecodesAside } from "./recording-reader.ts";
import { createRecordingWriter, type EncodesAside } from "./recording-writer.ts";
import { removeRecording, restoreRecording } from "./remove-recording.ts";
import { standingIn } from "./swap.ts";
import { createSurveyor } from "./survey.ts";
import { discardOld } from "./temporary.ts";
import { watchCassettes } from "../watch/watch.ts";

export interface FolderStoreOptions {
  /** How many bytes of replies are kept in memory. Default 128 MiB. */
  readonly cacheBytes?: number;
  /** Told once of what a person should know although nothing failed. */
  readonly warn?: (message: string) => void;
  /** What large recordings are decoded and encoded by; without it that is done at once. */
  readonly aside?: FolderAside | undefined;
}

export interface FolderAside {
  readonly decode: DecodesAside;
  readonly encode: EncodesAside;
}

export interface FolderStore extends NamedStore {
  /** Whether something stands at an entry now: cheaper than all takes of a key where its folder changes all the time. */
  isThere(entry: string): boolean;
  /** Knows a reply that was put here from its file's first state on: it need not be read again. */
  remember(entry: string, reply: RecordedReply, written: Stats): void;
  /** Gives back what the store holds of the system. It may be used on, only more slowly. */
  close(): void;
}

const CACHE_BYTES = 134_217_728;

/**
 * Recordings as files in a folder, which others may change at any time: git, editors, other processes.
 * The folder need not exist; the first recording makes it. Nothing is read before it is asked for.
 */
export function createFolderStore(dir: string, options: FolderStoreOptions = {}): FolderStore {
  const { cacheBytes = CACHE_BYTES, warn, aside } = options;
  const root = resolve(dir);
  const reader = createRecordingReader({ dir: root, decodeAside: aside?.decode });
  const { namedByRules, ...found } = findRecordings({ dir: root, cacheBytes, reader });
  const writer = createRecordingWriter({ dir: root, index: found, warn, encodeAside: aside?.encode });
  const survey = createSurveyor(root);
  const listeners = createListeners<StoreChange>(() =>
    watchCassettes(root, (change) => listeners.notify(change)),
  );

  const noteChange = (entry: string): void => {
    found.changed(posix.dirname(entry));
    listeners.notify({ entry });
  };
  const changing = writingUnder(root, namedByRules);

  return {
    ...found,
    read: (entry, onFile) => reader.read(entry, onFile),
    isThere: (entry) => existsSync(join(root, entry)),
    list: () => listRecordings(survey),
    async save(recording, number) {
      const address = await changing(recording, () => writer.add(recording, number));
      noteChange(address.entry);
      return address;
    },
    standing: (entry) => standingAt(join(root, entry)),
    async replace(entry, recording, since) {
      await changing(recording, () => writer.replace(entry, recording, since));
      noteChange(entry);
    },
    remove: (entry) => removeFrom(root, entry, noteChange),
    watch: (listener) => listeners.add(listener),
  };
}

/** Does what writes a recording, with the mark that names may mislead where it is needed. */
function writingUnder(root: string, namedByRules: Pick<NamedByRules, "make">) {
  return <T>(recording: Recording, write: () => Promise<T>): Promise<T> =>
    orFailure(root, async () => {
      if (!isNamedByRules(recording)) return write();
      await namedByRules.make();
      const written = await write();
      // Somebody who saw none before may have taken it away.
      await namedByRules.make();
      return written;
    });
}

async function listRecordings(
  survey: ReturnType<typeof createSurveyor>,
): Promise<readonly RecordingAddress[]> {
  const { addresses, temporaries } = await survey();
  await discardOld(temporaries, Date.now());
  return addresses;
}

/**
 * Whoever replaces what cannot be read is told what is wrong. A file that was emptied a moment ago is being written by
 * somebody: as long as their text is not there, what stood is not known.
 */
function standingAt(path: string): string | undefined {
  try {
    const { size, mtimeMs } = lstatSync(path);
    const isBegun = size === 0 && Date.now() - mtimeMs < BEGUN_MS;
    return isBegun ? NOTHING_STOOD : standingIn(path);
  } catch {
    return undefined;
  }
}

/** Editors that save in place empty a file and fill it at once. */
const BEGUN_MS = 2_000;

async function removeFrom(
  root: string,
  entry: string,
  changed: (entry: string) => void,
): Promise<RemovedRecording> {
  const bytes = await removeRecording(root, entry);
  changed(entry);
  return {
    entry,
    async restore() {
      await restoreRecording(root, entry, bytes);
      changed(entry);
    },
  };
}
