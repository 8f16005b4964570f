import type { Disposable, Key } from "../call/call.ts";
import type { Recording, RecordingAddress } from "./recording.ts";

/** What stood where nothing did, for `replace`. No file's text is told by it. */
export const NOTHING_STOOD = "";

/** Where recordings live. Saving is add-only: no method but `replace` and `remove` touches a recording that exists. */
export interface CassetteStore {
  /**
   * The takes of a key in order, by what is on disk now. Cheap: called for every call.
   * @throws TapedeckError `tapedeck_cassette` where the folder is there and cannot be read; none is no failure.
   */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  readonly read: StoreReader;
  /** Every recording's address, by provider, key and take. Contents are not read. @throws as `takes`. */
  list(): Promise<readonly RecordingAddress[]>;
  /**
   * Adds the recording as the next take of its key, or as take `number` where that one is free, and resolves to its
   * address once it is durable.
   * @throws TapedeckError `tapedeck_cassette` where the disk refuses; nothing else has changed then.
   */
  save(recording: Recording, number?: number): Promise<RecordingAddress>;
  /** What stands at an entry now, for `replace`; undefined where nothing does, or where nobody else edits recordings. */
  standing(entry: string): string | undefined;
  /**
   * Puts another recording of the same key in a take's place; the old one stays readable until the new one is durable.
   * With `since`, only where it still stands there, or something that this store itself has put there since. Where
   * nothing stands any more there is nothing to lose.
   * @throws TapedeckError as `save`, and `EditedMeanwhile`: then the text of another stands.
   */
  replace(entry: string, recording: Recording, since?: string): Promise<void>;
  /** Takes a recording away and gives back what restores it. @throws TapedeckError where there is none. */
  remove(entry: string): Promise<RemovedRecording>;
}

export interface StoreReader {
  /**
   * Reads a recording as it is on disk now: edits by hand count at once.
   * @throws as `takes`, and TapedeckError `tapedeck_cassette` if the file does not parse, or name and content disagree.
   */
  (entry: string): Promise<Recording>;
  /**
   * Reads only what a replay needs. The request of a file that is as it was written is not read; that of any other file
   * has to have the key of the file's name. @throws as above
   */
  (entry: string, purpose: "replay" | undefined): Promise<ReplayedTake>;
}

/** The part of a recording that a replay needs. `cassettes` is absent if no cassette of another recorder owns it. */
export type ReplayedTake = Pick<Recording, "reply" | "cassettes">;

/** A store that reports changes. */
export interface WatchedStore extends CassetteStore {
  /** Tells of entries that appeared, changed or went, by us or by anyone. Late is allowed; lost is not. */
  watch(listener: (change: StoreChange) => void): Disposable;
}

export interface RemovedRecording {
  readonly entry: string;
  /** Puts the file back byte for byte. @throws TapedeckError where the place is taken by now. */
  restore(): Promise<void>;
}

export interface StoreChange {
  /** Undefined where only a fresh look at everything tells what changed. */
  readonly entry?: string;
}
