import type { Recording } from "../../core/cassette/recording.ts";
import {
  type CassetteStore,
  NOTHING_STOOD,
  type RemovedRecording,
  type StoreChange,
  type WatchedStore,
} from "../../core/cassette/store.ts";
import { lstatSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { computeKey, type Normaliser } from "../../core/match/key/key.ts";
import { storageFailure } from "./failures.ts";
import { sha256 } from "./sha256.ts";
import { createFolderIndex } from "./find-recordings.ts";
import { createListeners } from "../../core/call/listeners.ts";
import { createRecordingReader, type VerifiedFiles } from "./recording-reader.ts";
import { createRecordingWriter } from "./recording-writer.ts";
import { removeRecording, restoreRecording } from "./remove-recording.ts";
import { standingIn } from "./swap.ts";
import { watchCassettes } from "../watch/watch.ts";

export interface FolderStoreOptions {
  /** The rules by which recordings are named; asked at every replay. Default: none. */
  readonly normaliser?: () => Normaliser | undefined;
  /** Remembers which files were verified against their keys. Default: every replay verifies. */
  readonly facts?: VerifiedFiles;
}

/**
 * Recordings as files in a folder, which others may change at any time: git, editors, other processes.
 * The folder need not exist; the first recording makes it. Nothing is read before it is asked for.
 */
export function createFolderStore(dir: string, options: FolderStoreOptions = {}): WatchedStore {
  const { normaliser = () => undefined } = options;
  const root = resolve(dir);
  const index = createFolderIndex(root);
  const reader = createRecordingReader(
    root,
    (request) => computeKey(request, sha256, normaliser()),
    options.facts,
  );
  const writer = createRecordingWriter({ dir: root, index });
  const listeners = createListeners<StoreChange>(() =>
    watchCassettes(root, (change) => listeners.notify(change)),
  );
  const noteChange = (entry: string): void => {
    index.changed(posix.dirname(entry));
    listeners.notify({ entry });
  };
  const fail = (error: unknown): never => {
    throw storageFailure(root, error);
  };

  return {
    takes: (provider, key) => index.takes(provider, key),
    read: reader.read,
    list: async () => index.survey().addresses,
    async save(recording, number) {
      const address = await writer.add(recording, number).catch(fail);
      noteChange(address.entry);
      return address;
    },
    standing: (entry) => standingAt(join(root, entry)),
    async replace(entry, recording, since) {
      await writer.replace(entry, recording, since).catch(fail);
      noteChange(entry);
    },
    remove: (entry) => removeFrom(root, entry, noteChange),
    watch: (listener) => listeners.add(listener),
  };
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

/** Background work that is awaited at the end. */
export interface Pending {
  /** Gives the work back. */
  add<T>(work: Promise<T>): Promise<T>;
  /** Resolves when all of it is done, however it ended: that is its caller's to hear of. */
  settled(): Promise<void>;
}

export function createPending(): Pending {
  const under = new Set<Promise<unknown>>();
  return {
    add(work) {
      under.add(work);
      const over = (): void => void under.delete(work);
      work.then(over, over);
      return work;
    },
    async settled() {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}

/** Notes recordings that were written. */
interface WriteNotes {
  noteWritten(entry: string, recording: Recording): void;
}

/**
 * Wraps a store so that its writes count as pending, because a process that ends during a write leaves a temporary file.
 * Written recordings are noted. `below` must be a plain object.
 */
export function awaitedStore<T extends CassetteStore>(below: T, pending: Pending, notes: WriteNotes): T {
  const save: T["save"] = async (recording, number) => {
    const address = await below.save(recording, number);
    notes.noteWritten(address.entry, recording);
    return address;
  };
  const replace: T["replace"] = async (entry, recording, since) => {
    await below.replace(entry, recording, since);
    notes.noteWritten(entry, recording);
  };
  return {
    ...below,
    save: (recording, number) => pending.add(save(recording, number)),
    replace: (entry, recording, since) => pending.add(replace(entry, recording, since)),
  };
}
