import type { Disposable, Key } from "../call/call.ts";
import type { Recording, RecordingAddress } from "./recording.ts";

/** The hash of "no file", for `replace`. No text has it. */
export const NO_CONTENT = "";

/** Stores recordings. Only `replace` and `remove` change an existing recording; saving adds one. */
export interface CassetteStore {
  /**
   * Returns the takes of a key in order, as they are on disk now. Called for each call, so it must be cheap.
   * @throws TapedeckError `tapedeck_cassette` if the folder exists and cannot be read.
   */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  readonly read: StoreReader;
  /** Returns the address of every recording, sorted by provider, key, and take. Reads no contents. @throws as `takes`. */
  list(): Promise<readonly RecordingAddress[]>;
  /**
   * Adds the recording as take `number` of its key, or as the next take if that one exists, and resolves to its address
   * once it is durable.
   * @throws TapedeckError `tapedeck_cassette` if it cannot be written; nothing else has changed then.
   */
  save(recording: Recording, number?: number): Promise<RecordingAddress>;
  /** Returns a hash of the present content of an entry, for `replace`; undefined if there is none, or no other program edits recordings. */
  hashContent(entry: string): string | undefined;
  /**
   * Replaces a take with another recording of the same key. The old one can be read until the new one is durable.
   * With `since`, replaces only that content, a deleted file, or content that this store itself has written since.
   * `together`: other replacements. After a kill at any moment, readers find all of them or none.
   * @throws TapedeckError as `save`, and `EditedMeanwhile` if someone else changed one of the files: all are left as they are.
   */
  replace(
    entry: string,
    recording: Recording,
    since?: string,
    together?: readonly RecordingReplacement[],
  ): Promise<void>;
  /** Removes a recording and returns a function that restores it. @throws TapedeckError if there is none. */
  remove(entry: string): Promise<RemovedRecording>;
}

/** A recording and the entry that it replaces, as in `replace`. */
export interface RecordingReplacement {
  readonly entry: string;
  readonly recording: Recording;
  readonly since?: string | undefined;
}

export interface StoreReader {
  /**
   * Reads a recording as it is on disk now, including edits by hand.
   * @throws as `takes`, and TapedeckError `tapedeck_cassette` if the file does not parse, or name and content disagree.
   */
  (entry: string): Promise<Recording>;
  /**
   * Reads only what a replay needs; undefined if there is no such recording. Reads the request only if the file was
   * changed since it was written: its key must still be that of the file name. @throws as above
   */
  (entry: string, purpose: "replay" | undefined): Promise<ReplayedTake | undefined>;
}

/** The part of a recording that a replay needs. `cassettes` is absent if no cassette of another recorder owns it. */
export type ReplayedTake = Pick<Recording, "reply" | "cassettes">;

/** A store that reports changes. */
export interface WatchedStore extends CassetteStore {
  /** Reports entries that were added, changed, or removed by any program, possibly late, but every one. */
  watch(listener: (change: StoreChange) => void): Disposable;
}

export interface RemovedRecording {
  readonly entry: string;
  /** Restores the file byte for byte. @throws TapedeckError if another one has its name now. */
  restore(): Promise<void>;
}

export interface StoreChange {
  /** Undefined if any entry may have changed. */
  readonly entry?: string;
}
