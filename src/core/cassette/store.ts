import type { Disposable, Key } from "../call.ts";
import type { Recording, RecordedReply, RecordingAddress } from "./recording.ts";

/** What stood where nothing did, for `replace`. No file's text is told by it. */
export const NOTHING_STOOD = "";

/** Where recordings live. Saving is add-only: no method but `replace` and `remove` touches a recording that exists. */
export interface CassetteStore {
  /**
   * The takes of a key in order, by what is on disk now. Cheap: called for every call.
   * @throws TapedeckError `tapedeck_cassette` where the folder is there and cannot be read; none is no failure.
   */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /**
   * The reply of one of the takes of a key, as `takes` and `reply` would give them, and cheaper where the call came often.
   * `choose` gives the entry of one; undefined where it gives none. Stores for which nothing is cheaper have none of it.
   * @throws as both
   */
  replay?(
    provider: string,
    key: Key,
    choose: (takes: readonly RecordingAddress[]) => string | undefined,
  ): Promise<RecordedReply | undefined>;
  /**
   * The reply of a take, as it is on disk now (edits by hand count at once).
   * @throws TapedeckError `tapedeck_cassette` where the file does not parse, or name and content disagree.
   */
  reply(entry: string): Promise<RecordedReply>;
  /** The whole recording. @throws as `reply`. */
  read(entry: string): Promise<Recording>;
  /**
   * For stores whose names do not always tell a recording's key: brings up to date what `takes` will say of this key.
   * Undefined where there is nothing to wait for.
   */
  settle?(provider: string, key: Key): Promise<void> | undefined;
  /** Whether a recording may have been named under rules, so that only its content tells which call it answers. */
  hasNamedByRules?(): boolean;
  /**
   * A text that is another one whenever the recording's file is, for notes that outlive the process. Undefined where
   * nothing tells, e.g. of a file that was written a moment ago. Nothing is read.
   */
  stateOf?(entry: string): string | undefined;
  /**
   * For stores whose names do not always tell a recording's key: the keys of now, by entry, brought up to date.
   * Undefined where names tell.
   */
  keysOfNow?(): Promise<((entry: string) => Key | undefined) | undefined>;
  /** Every recording's address, by provider, key and take. Contents are not read. @throws as `takes`. */
  list(): Promise<readonly RecordingAddress[]>;
  /**
   * As `takes`, for who is about to say that there are none: what is renamed meanwhile is found under its old or its new
   * name. Stores whose recordings nobody else renames have none of it.
   */
  lookAgain?(provider: string, key: Key): Promise<readonly RecordingAddress[]>;
  /** What lies among the recordings and is none by its name or kind, sorted by path. Nothing is done to it. */
  strays(): Promise<readonly Stray[]>;
  /**
   * Adds the recording as the next take of its key, or as take `number` where that one is free, and resolves to its
   * address once it is durable.
   * @throws TapedeckError `tapedeck_cassette` where the disk refuses; nothing else has changed then.
   */
  save(recording: Recording, number?: number): Promise<RecordingAddress>;
  /**
   * What stands at an entry now, for `replace`; undefined where nothing does. Stores whose recordings nobody else edits
   * have none of it.
   */
  standing?(entry: string): string | undefined;
  /**
   * Puts another recording of the same key in a take's place; the old one stays readable until the new one is durable.
   * With `since`, only where it still stands there, or something that this store itself has put there since. Where
   * nothing stands any more there is nothing to lose.
   * @throws TapedeckError as `save`, and `EditedMeanwhile`: then the text of another stands.
   */
  replace(entry: string, recording: Recording, since?: string): Promise<void>;
  /** Takes a recording away and gives back what restores it. @throws TapedeckError where there is none. */
  remove(entry: string): Promise<RemovedRecording>;
  /** Tells of entries that appeared, changed or went, by us or by anyone. Late is allowed; lost is not. */
  watch(listener: (change: StoreChange) => void): Disposable;
  /** Gives back what the store holds of the system. It may be used on, only more slowly. */
  close(): void;
}

/** A file or folder that is in the way of nothing, but is not a recording either. */
export interface Stray {
  /** Relative to the cassette folder, "/" between segments. */
  readonly path: string;
  /** Why it is none, as a sentence about "it". */
  readonly reason: string;
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
