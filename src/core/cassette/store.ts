import type { Disposable, Key } from "../exchange.ts";
import type { Recording, RecordedReply, RecordingAddress } from "./recording.ts";

/** Where recordings live. Saving is add-only: no method but `replace` and `remove` touches a recording that exists. */
export interface CassetteStore {
  /** The takes of a key in order, by what is on disk now. Cheap: called for every call. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /**
   * The reply of a take, as it is on disk now (edits by hand count at once).
   * @throws TapedeckError `tapedeck_cassette` where the file does not parse, or name and content disagree.
   */
  reply(entry: string): Promise<RecordedReply>;
  /** The whole recording. @throws as `reply`. */
  read(entry: string): Promise<Recording>;
  /** Every recording's address, sorted by entry. Contents are not read. */
  list(): Promise<readonly RecordingAddress[]>;
  /** Adds the recording as the next take of its key and resolves to its address once it is durable. */
  save(recording: Recording): Promise<RecordingAddress>;
  /** Puts another reply in a take's place; the old one stays readable until the new one is durable. */
  replace(entry: string, recording: Recording): Promise<void>;
  /** Takes a recording away and gives back what restores it. @throws TapedeckError where there is none. */
  remove(entry: string): Promise<RemovedRecording>;
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
